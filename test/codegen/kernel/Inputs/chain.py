"""A placed module of one map group: a chain of `ops` additions, which takes its right operands from
`inputs` tensors in turn."""
import sys

ops, inputs = int(sys.argv[1]), int(sys.argv[2])
t = "tensor<64xf32>"
entry = "%x{0}: {1} {{amp.name = \"x{0}\", amp.io = #amp.io<input>, amp.place = #amp.place<input, {0}>}}"
arguments = ", ".join(entry.format(i, t) for i in range(inputs))
print("module attributes {amp.stage = #amp.stage<placed>} {")
print(f"  func.func @infer({arguments}) -> ({t} {{amp.name = \"y\", amp.io = #amp.io<output>}})")
print("      attributes {amp.entry = #amp.entry<infer>, amp.arena_bytes = 0 : i64} {")
names = ", ".join(f"%x{i}" for i in range(inputs))
print(f"    %y = amp.group map [64] ({names}) {{amp.place = [#amp.place<output, 0>]}}")
print(f"        : ({', '.join([t] * inputs)}) -> {t} {{")
print(f"    ^bb0({', '.join(f'%a{i}: {t}' for i in range(inputs))}):")
for i in range(ops):
    left = f"%{i - 1}" if i else "%a0"
    print(f"      %{i} = amp.add {left}, %a{i % inputs} : {t}")
print(f"      amp.yield %{ops - 1} : {t}")
print(f"    }}\n    return %y : {t}\n  }}\n}}")

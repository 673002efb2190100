package io.polder.agent.rewrite;

import java.lang.classfile.CodeElement;
import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.ConstantInstruction.LoadConstantInstruction;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDesc;
import java.lang.constant.DirectMethodHandleDesc;
import java.lang.constant.DynamicConstantDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.foreign.Arena;
import java.lang.invoke.LambdaMetafactory;
import java.util.List;

/** What opens an arena in a class file: a call, or a handle among constants. */
final class Uses {
    static final String CONFINED = "ofConfined";
    static final String SHARED = "ofShared";

    static final ClassDesc ARENA = ClassDesc.of(Arena.class.getName());
    static final MethodTypeDesc TYPE = MethodTypeDesc.of(ARENA);

    private static final String ARENA_INTERNAL = Arena.class.getName().replace('.', '/');
    private static final String ALT_METAFACTORY = "altMetafactory";

    /** The place of the flags among the arguments of {@link LambdaMetafactory#altMetafactory}. */
    private static final int FLAGS_AT = 3;

    private Uses() {}

    /** Whether an instruction opens an arena or refers to a method that does. */
    static boolean isUse(CodeElement element) {
        return switch (element) {
            case InvokeInstruction call -> isCall(call);
            case InvokeDynamicInstruction call -> anyUse(call.bootstrapArgs());
            case LoadConstantInstruction load -> isUse(load.constantValue());
            default -> false;
        };
    }

    static boolean isCall(InvokeInstruction call) {
        return call.opcode() == Opcode.INVOKESTATIC
                && call.owner().asInternalName().equals(ARENA_INTERNAL)
                && isName(call.name().stringValue())
                && call.type().equalsString(TYPE.descriptorString());
    }

    private static boolean isName(String name) {
        return name.equals(CONFINED) || name.equals(SHARED);
    }

    static boolean isUse(ConstantDesc constant) {
        return switch (constant) {
            case DirectMethodHandleDesc handle -> isHandle(handle);
            case DynamicConstantDesc<?> dynamic -> anyUse(dynamic.bootstrapArgsList());
            default -> false;
        };
    }

    static boolean isHandle(DirectMethodHandleDesc handle) {
        return handle.kind() == DirectMethodHandleDesc.Kind.INTERFACE_STATIC
                && handle.owner().equals(ARENA)
                && isName(handle.methodName());
    }

    private static boolean anyUse(List<ConstantDesc> arguments) {
        for (ConstantDesc argument : arguments) {
            if (isUse(argument)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Whether a call site makes lambdas that can be serialised. Their form says which method they
     * stand for, and is read where there is no agent.
     */
    static boolean isSerializable(InvokeDynamicInstruction call) {
        return call.bootstrapMethod().methodName().equals(ALT_METAFACTORY)
                && call.bootstrapArgs().size() > FLAGS_AT
                && call.bootstrapArgs().get(FLAGS_AT) instanceof Integer flags
                && (flags & LambdaMetafactory.FLAG_SERIALIZABLE) != 0;
    }
}

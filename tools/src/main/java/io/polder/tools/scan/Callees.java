package io.polder.tools.scan;

import java.lang.classfile.Opcode;
import java.lang.classfile.constantpool.InvokeDynamicEntry;
import java.lang.classfile.instruction.InvokeInstruction;
import java.util.Set;

/**
 * What is known of methods that get an arena: which close it, which return it, and which do not
 * keep it. All others may keep it.
 */
final class Callees {
    private static final String FOREIGN = "java/lang/foreign/";
    private static final String METHOD_HANDLE = "java/lang/invoke/MethodHandle";
    private static final String ALLOCATOR = "Ljava/lang/foreign/SegmentAllocator;";

    /** What Kotlin's {@code use} is compiled to; the first parameter is closed. */
    private static final Set<String> CLOSE_FINALLY =
            Set.of("kotlin/AutoCloseableKt", "kotlin/jdk7/AutoCloseableKt");

    /** Methods outside {@code java.lang.foreign} that use an arena and do not keep it. */
    private static final Set<String> KEEPS_NOTHING =
            Set.of(
                    "java/nio/channels/FileChannel.map",
                    "java/util/Objects.equals",
                    "java/util/Objects.hashCode",
                    "java/util/Objects.isNull",
                    "java/util/Objects.nonNull",
                    "java/util/Objects.toString",
                    "java/lang/String.valueOf",
                    "java/lang/System.identityHashCode",
                    "java/lang/ref/Reference.reachabilityFence");

    /** Bootstrap methods of call sites that look at their arguments and do not keep them. */
    private static final Set<String> LOOKS_AT_ARGUMENTS =
            Set.of(
                    "java/lang/invoke/StringConcatFactory",
                    "java/lang/runtime/SwitchBootstraps",
                    "java/lang/runtime/ObjectMethods");

    private Callees() {}

    /** Whether the call closes the value, even if it throws. */
    static boolean closes(InvokeInstruction invoke, Arguments value) {
        if (value.receiver()) {
            return invoke.name().equalsString("close") && invoke.type().equalsString("()V");
        }
        return value.parameters().contains(0)
                && invoke.name().equalsString("closeFinally")
                && CLOSE_FINALLY.contains(invoke.owner().asInternalName());
    }

    /** Whether what the call returns is the value. */
    static boolean returnsItsArgument(InvokeInstruction invoke, Arguments value) {
        return value.parameters().contains(0)
                && invoke.opcode() == Opcode.INVOKESTATIC
                && name(invoke).startsWith("java/util/Objects.requireNonNull");
    }

    /** Whether the callee may still have the value when it has returned. */
    static boolean mayKeep(InvokeInstruction invoke, Arguments value) {
        // What arenas are called with is known: they have no method that gives them away.
        return value.isPassed()
                && !invoke.owner().asInternalName().startsWith(FOREIGN)
                && !returnsItsArgument(invoke, value)
                && !KEEPS_NOTHING.contains(name(invoke))
                && !isForeignCall(invoke, value);
    }

    /** A downcall that returns a struct takes an allocator for it. */
    private static boolean isForeignCall(InvokeInstruction invoke, Arguments value) {
        return invoke.owner().asInternalName().equals(METHOD_HANDLE)
                && value.parameters().stream()
                        .map(invoke.typeSymbol()::parameterType)
                        .allMatch(type -> type.descriptorString().equals(ALLOCATOR));
    }

    /** Whether the call site only looks at its arguments. */
    static boolean onlyLooksAt(InvokeDynamicEntry site) {
        return LOOKS_AT_ARGUMENTS.contains(
                site.bootstrap().bootstrapMethod().reference().owner().asInternalName());
    }

    /** Whether the call site makes a lambda or a method reference of its arguments. */
    static boolean captures(InvokeDynamicEntry site) {
        return site.bootstrap()
                .bootstrapMethod()
                .reference()
                .owner()
                .asInternalName()
                .equals("java/lang/invoke/LambdaMetafactory");
    }

    private static String name(InvokeInstruction invoke) {
        return invoke.owner().asInternalName() + "." + invoke.name().stringValue();
    }
}

package io.polder.stress.everywhere;

import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.InvokeInstruction;
import java.util.Set;

/**
 * Methods of the JDK that allocate for their caller: boxes, growing collections, iterators, copies,
 * strings, segments and arenas.
 *
 * <p>Known by name, and more than enough of them: it does no harm to throw where the JDK never
 * would, at a call that any thread near the end of its stack cannot make.
 */
final class JdkAllocations {
    private static final Set<String> BOXES =
            Set.of(
                    "java/lang/Boolean",
                    "java/lang/Byte",
                    "java/lang/Character",
                    "java/lang/Short",
                    "java/lang/Integer",
                    "java/lang/Long",
                    "java/lang/Float",
                    "java/lang/Double");

    private static final Set<String> NAMES =
            Set.of(
                    "add",
                    "addAll",
                    "addFirst",
                    "addLast",
                    "allocate",
                    "asReadOnly",
                    "asSlice",
                    "clone",
                    "collect",
                    "computeIfAbsent",
                    "concat",
                    "copyOf",
                    "copyOfRange",
                    "ensureCapacity",
                    "entrySet",
                    "forEach",
                    "format",
                    "formatted",
                    "iterator",
                    "join",
                    "keySet",
                    "listIterator",
                    "map",
                    "merge",
                    "of",
                    "ofAddress",
                    "ofArray",
                    "ofConfined",
                    "ofPlatform",
                    "ofShared",
                    "put",
                    "putIfAbsent",
                    "reinterpret",
                    "removeIf",
                    "stream",
                    "substring",
                    "toArray",
                    "toHexString",
                    "toList",
                    "values");

    private JdkAllocations() {}

    /** Whether a call makes a box. */
    static boolean isBoxing(InvokeInstruction call) {
        return call.opcode() == Opcode.INVOKESTATIC
                && call.name().equalsString("valueOf")
                && BOXES.contains(call.owner().asInternalName());
    }

    /** Whether a call is one of those. */
    static boolean contain(InvokeInstruction call) {
        String owner = call.owner().asInternalName();
        boolean ofJdk = owner.startsWith("java/") || owner.startsWith("[");
        return ofJdk && NAMES.contains(call.name().stringValue());
    }
}

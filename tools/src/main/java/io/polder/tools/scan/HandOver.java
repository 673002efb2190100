package io.polder.tools.scan;

import org.jspecify.annotations.Nullable;

import java.lang.classfile.Instruction;
import java.lang.classfile.Opcode;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.ArrayStoreInstruction;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.ReturnInstruction;

/**
 * A place in the source where a method gives an arena to others. The copies that a compiler makes
 * of a {@code finally} are one place: they have one line and call one method.
 *
 * @param way how it gives it
 * @param certain whether others have it for certain: it was returned, or put into a field. They may
 *     also have it where it was captured, passed, or put into an array, which may be for a call of
 *     a method with any number of arguments; but a method that closes it all the same is its owner
 * @param line in the source; 0 if the class file does not say
 * @param callee index in the constant pool of what gets it; 0 if that is no method
 */
record HandOver(Way way, boolean certain, int line, int callee) implements Course.Point {
    /**
     * What an instruction gives away.
     *
     * @param holders where the arena is before it
     * @return null if it keeps the arena in the method
     */
    static @Nullable HandOver at(MethodCode code, int index, Holders holders) {
        Instruction instruction = code.instruction(index);
        int line = code.line(index);
        return switch (instruction) {
            case ReturnInstruction result
                    when result.typeKind() == TypeKind.REFERENCE && holders.atDepth(0) ->
                    new HandOver(Way.RETURN, true, line, 0);
            case FieldInstruction field when isPut(field) && holders.atDepth(0) ->
                    new HandOver(Way.STORE, true, line, 0);
            case ArrayStoreInstruction store
                    when store.typeKind() == TypeKind.REFERENCE && holders.atDepth(0) ->
                    new HandOver(Way.STORE, false, line, 0);
            case InvokeInstruction invoke
                    when Callees.mayKeep(invoke, Arguments.of(invoke, holders)) ->
                    new HandOver(Way.PASS, false, line, invoke.method().index());
            case InvokeDynamicInstruction invoke when isGiven(invoke, holders) ->
                    new HandOver(
                            Callees.captures(invoke.invokedynamic()) ? Way.CAPTURE : Way.PASS,
                            false,
                            line,
                            invoke.invokedynamic().index());
            default -> null;
        };
    }

    private static boolean isPut(FieldInstruction field) {
        return field.opcode() == Opcode.PUTFIELD || field.opcode() == Opcode.PUTSTATIC;
    }

    private static boolean isGiven(InvokeDynamicInstruction invoke, Holders holders) {
        int words = StackEffect.words(invoke.typeSymbol());
        for (int depth = 0; depth < words; depth++) {
            if (holders.atDepth(depth)) {
                return !Callees.onlyLooksAt(invoke.invokedynamic());
            }
        }
        return false;
    }
}

package io.polder.tools.scan;

import java.lang.classfile.Instruction;
import java.lang.classfile.Opcode;
import java.lang.classfile.constantpool.LoadableConstantEntry;
import java.lang.classfile.constantpool.StringEntry;
import java.lang.classfile.instruction.ArrayLoadInstruction;
import java.lang.classfile.instruction.ArrayStoreInstruction;
import java.lang.classfile.instruction.ConstantInstruction.LoadConstantInstruction;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.MonitorInstruction;
import java.lang.classfile.instruction.NewMultiArrayInstruction;
import java.lang.classfile.instruction.NewObjectInstruction;
import java.lang.classfile.instruction.NewPrimitiveArrayInstruction;
import java.lang.classfile.instruction.NewReferenceArrayInstruction;
import java.lang.classfile.instruction.OperatorInstruction;
import java.lang.classfile.instruction.ThrowInstruction;
import java.lang.classfile.instruction.TypeCheckInstruction;

/** Which instructions may throw (JVMS chapter 6), without what the JVM may throw anywhere. */
final class Throwing {
    private Throwing() {}

    /**
     * Whether an instruction may throw.
     *
     * @param arena where an arena is before it
     */
    static boolean mayThrow(Instruction instruction, Holders arena) {
        return switch (instruction) {
            case InvokeInstruction invoke ->
                    // That an arena is not null needs no proof.
                    !Callees.returnsItsArgument(invoke, Arguments.of(invoke, arena));
            case InvokeDynamicInstruction _ -> true;
            case FieldInstruction field -> !storesArena(field, arena);
            case ArrayLoadInstruction _, ArrayStoreInstruction _ -> true;
            case NewObjectInstruction _, NewReferenceArrayInstruction _ -> true;
            case NewPrimitiveArrayInstruction _, NewMultiArrayInstruction _ -> true;
            case ThrowInstruction _ -> true;
            // It is left by the thread that has entered it, so that cannot fail.
            case MonitorInstruction monitor -> monitor.opcode() == Opcode.MONITORENTER;
            case TypeCheckInstruction check ->
                    // A cast of an arena is to what it is.
                    check.opcode() == Opcode.CHECKCAST && !arena.atDepth(0);
            case OperatorInstruction operator -> divides(operator.opcode());
            case LoadConstantInstruction load -> isResolved(load.constantEntry());
            default -> false;
        };
    }

    /**
     * Whether a field gets the arena. It may throw if there is no object to have it, but nobody
     * opens an arena for nothing.
     */
    private static boolean storesArena(FieldInstruction field, Holders arena) {
        boolean stores = field.opcode() == Opcode.PUTFIELD || field.opcode() == Opcode.PUTSTATIC;
        return stores && arena.atDepth(0);
    }

    private static boolean divides(Opcode opcode) {
        return switch (opcode) {
            case IDIV, LDIV, IREM, LREM, ARRAYLENGTH -> true;
            default -> false;
        };
    }

    private static boolean isResolved(LoadableConstantEntry constant) {
        return switch (constant.typeKind()) {
            case REFERENCE -> !(constant instanceof StringEntry);
            default -> false;
        };
    }
}

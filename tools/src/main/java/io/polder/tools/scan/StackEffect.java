package io.polder.tools.scan;

import java.lang.classfile.Instruction;
import java.lang.classfile.Opcode;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.ArrayLoadInstruction;
import java.lang.classfile.instruction.ArrayStoreInstruction;
import java.lang.classfile.instruction.BranchInstruction;
import java.lang.classfile.instruction.ConstantInstruction;
import java.lang.classfile.instruction.ConvertInstruction;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.IncrementInstruction;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.LoadInstruction;
import java.lang.classfile.instruction.LookupSwitchInstruction;
import java.lang.classfile.instruction.MonitorInstruction;
import java.lang.classfile.instruction.NewMultiArrayInstruction;
import java.lang.classfile.instruction.NewObjectInstruction;
import java.lang.classfile.instruction.NewPrimitiveArrayInstruction;
import java.lang.classfile.instruction.NewReferenceArrayInstruction;
import java.lang.classfile.instruction.NopInstruction;
import java.lang.classfile.instruction.OperatorInstruction;
import java.lang.classfile.instruction.ReturnInstruction;
import java.lang.classfile.instruction.StackInstruction;
import java.lang.classfile.instruction.StoreInstruction;
import java.lang.classfile.instruction.TableSwitchInstruction;
import java.lang.classfile.instruction.ThrowInstruction;
import java.lang.classfile.instruction.TypeCheckInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;

/**
 * What an instruction does to the operand stack and the local variables (JVMS chapter 6), as far as
 * one value is concerned: results are something else, copies are the value.
 */
final class StackEffect {
    private StackEffect() {}

    /**
     * Where the value is after an instruction.
     *
     * @throws IllegalArgumentException if no compiler since Java 6 makes such an instruction
     */
    static Holders after(Instruction instruction, Holders before) {
        return switch (instruction) {
            case LoadInstruction load -> load(load, before);
            case StoreInstruction store -> before.store(store.slot(), store.typeKind().slotSize());
            case StackInstruction shuffle -> shuffle(shuffle.opcode(), before);
            case ConstantInstruction constant -> before.push(constant.typeKind().slotSize());
            case OperatorInstruction operator -> operate(operator, before);
            case ConvertInstruction convert ->
                    before.pop(convert.fromType().slotSize()).push(convert.toType().slotSize());
            case TypeCheckInstruction check ->
                    check.opcode() == Opcode.CHECKCAST ? before : before.pop(1).push(1);
            case BranchInstruction branch -> before.pop(operands(branch.opcode()));
            case LookupSwitchInstruction _, TableSwitchInstruction _ -> before.pop(1);
            case ReturnInstruction result -> before.pop(result.typeKind().slotSize());
            case ThrowInstruction _, MonitorInstruction _ -> before.pop(1);
            case FieldInstruction field -> access(field, before);
            case InvokeInstruction invoke -> call(invoke, before);
            case InvokeDynamicInstruction invoke -> call(invoke.typeSymbol(), before);
            case ArrayLoadInstruction load -> before.pop(2).push(load.typeKind().slotSize());
            case ArrayStoreInstruction store -> before.pop(2 + store.typeKind().slotSize());
            case NewObjectInstruction _ -> before.push(1);
            case NewPrimitiveArrayInstruction _, NewReferenceArrayInstruction _ ->
                    before.pop(1).push(1);
            case NewMultiArrayInstruction array -> before.pop(array.dimensions()).push(1);
            case IncrementInstruction _, NopInstruction _ -> before;
            default ->
                    throw new IllegalArgumentException(
                            "subroutines went with Java 6: opcode=" + instruction.opcode());
        };
    }

    private static Holders load(LoadInstruction load, Holders before) {
        boolean held = load.typeKind() == TypeKind.REFERENCE && before.inLocal(load.slot());
        return held ? before.pushHeld() : before.push(load.typeKind().slotSize());
    }

    private static Holders shuffle(Opcode opcode, Holders before) {
        return switch (opcode) {
            case POP -> before.pop(1);
            case POP2 -> before.pop(2);
            case DUP -> before.dup(1, 0);
            case DUP_X1 -> before.dup(1, 1);
            case DUP_X2 -> before.dup(1, 2);
            case DUP2 -> before.dup(2, 0);
            case DUP2_X1 -> before.dup(2, 1);
            case DUP2_X2 -> before.dup(2, 2);
            case SWAP -> before.swap();
            default -> throw new IllegalArgumentException("no such shuffle: opcode=" + opcode);
        };
    }

    private static Holders operate(OperatorInstruction operator, Holders before) {
        int words = operator.typeKind().slotSize();
        return switch (operator.opcode()) {
            case ARRAYLENGTH -> before.pop(1).push(1);
            case INEG, FNEG, LNEG, DNEG -> before.pop(words).push(words);
            case LSHL, LSHR, LUSHR -> before.pop(2 + 1).push(2);
            case LCMP, DCMPL, DCMPG -> before.pop(2 + 2).push(1);
            case FCMPL, FCMPG -> before.pop(2).push(1);
            default -> before.pop(2 * words).push(words);
        };
    }

    private static int operands(Opcode branch) {
        return switch (branch) {
            case GOTO, GOTO_W -> 0;
            case IFEQ, IFNE, IFLT, IFGE, IFGT, IFLE, IFNULL, IFNONNULL -> 1;
            default -> 2;
        };
    }

    private static Holders access(FieldInstruction field, Holders before) {
        int words = TypeKind.from(field.typeSymbol()).slotSize();
        return switch (field.opcode()) {
            case GETSTATIC -> before.push(words);
            case PUTSTATIC -> before.pop(words);
            case GETFIELD -> before.pop(1).push(words);
            default -> before.pop(words + 1);
        };
    }

    private static Holders call(InvokeInstruction invoke, Holders before) {
        MethodTypeDesc type = invoke.typeSymbol();
        int receiver = invoke.opcode() == Opcode.INVOKESTATIC ? 0 : 1;
        Holders popped = before.pop(words(type) + receiver);
        return Callees.returnsItsArgument(invoke, Arguments.of(invoke, before))
                ? popped.pushHeld()
                : popped.push(slotSize(type.returnType()));
    }

    private static Holders call(MethodTypeDesc type, Holders before) {
        return before.pop(words(type)).push(slotSize(type.returnType()));
    }

    /** How many words the arguments take, without the receiver. */
    static int words(MethodTypeDesc type) {
        return type.parameterList().stream().mapToInt(StackEffect::slotSize).sum();
    }

    static int slotSize(ClassDesc type) {
        return TypeKind.from(type).slotSize();
    }
}

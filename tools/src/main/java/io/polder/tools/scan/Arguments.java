package io.polder.tools.scan;

import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ClassDesc;
import java.util.ArrayList;
import java.util.List;

/**
 * As what a value goes into a call.
 *
 * @param receiver whether the method is called on it
 * @param parameters indexes of the parameters it is passed as
 */
record Arguments(boolean receiver, List<Integer> parameters) {
    /** What an invocation is given of the value. */
    static Arguments of(InvokeInstruction invoke, Holders before) {
        List<ClassDesc> types = invoke.typeSymbol().parameterList();
        List<Integer> held = new ArrayList<>();
        int depth = 0;
        for (int i = types.size() - 1; i >= 0; i--) {
            if (before.atDepth(depth)) {
                held.add(i);
            }
            depth += StackEffect.slotSize(types.get(i));
        }
        boolean receiver = invoke.opcode() != Opcode.INVOKESTATIC && before.atDepth(depth);
        return new Arguments(receiver, held.reversed());
    }

    /** Whether the value is passed as a parameter. */
    boolean isPassed() {
        return !parameters.isEmpty();
    }
}

package io.polder.tools.scan;

import io.polder.tools.scan.MethodCode.Handler;

import org.jspecify.annotations.Nullable;

import java.lang.classfile.Opcode;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.BranchInstruction;
import java.lang.classfile.instruction.ConstantInstruction;
import java.lang.classfile.instruction.IncrementInstruction;
import java.lang.classfile.instruction.LoadInstruction;
import java.lang.classfile.instruction.StoreInstruction;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;

/**
 * The flags of a method: local variables that are tested for being 0, by which it remembers what it
 * has done.
 *
 * <pre>{@code
 *   boolean success = false;               iconst_0, istore      the flag is known from here on
 *   Arena arena = Arena.ofShared();
 *   try {
 *       Buffer buffer = new Buffer(arena);
 *       success = true;                    iconst_1, istore
 *       return buffer;
 *   } finally {
 *       if (!success) { arena.close(); }   iload, ifne           one outcome on each path
 *   }
 * }</pre>
 *
 * <p>A flag is known where it was set to a constant by the instruction before, and not where paths
 * meet between the two.
 */
final class Flags {
    private final MethodCode code;
    private final Set<Integer> tested = new HashSet<>();
    private final Set<Integer> targets = new HashSet<>();

    /** What is known before each instruction; null until that is asked for. */
    private @Nullable Known @Nullable [] known;

    private Flags(MethodCode code) {
        this.code = code;
    }

    /** The flags of a method. */
    static Flags of(MethodCode code) {
        Flags flags = new Flags(code);
        code.handlers().forEach(handler -> flags.targets.add(handler.target()));
        for (int i = 0; i < code.size(); i++) {
            flags.targets.addAll(code.targets(i));
        }
        for (int i = 1; i < code.size(); i++) {
            int slot = flags.slotTested(i);
            if (slot >= 0) {
                flags.tested.add(slot);
            }
        }
        return flags;
    }

    /** No flags: nothing is ever known. */
    static Flags none(MethodCode code) {
        return new Flags(code);
    }

    /** What is known before an instruction, whatever path leads to it. */
    Known before(int index) {
        if (tested.isEmpty()) {
            return Known.NOTHING;
        }
        @Nullable Known[] all = known;
        if (all == null) {
            all = known();
            known = all;
        }
        Known before = all[index];
        return before == null ? Known.NOTHING : before;
    }

    /** For all instructions at once: a method may open hundreds of arenas. */
    private @Nullable Known[] known() {
        @Nullable Known[] before = new Known[code.size() + 1];
        Deque<Integer> ahead = new ArrayDeque<>();
        meet(before, ahead, 0, Known.NOTHING);
        while (!ahead.isEmpty()) {
            int at = ahead.pop();
            Known now = before[at];
            if (now == null || at == code.size()) {
                continue;
            }
            for (Handler handler : code.handlers()) {
                if (handler.covers(at)) {
                    meet(before, ahead, handler.target(), now);
                }
            }
            Known after = after(at, now);
            for (int target : code.targets(at)) {
                meet(before, ahead, target, after);
            }
            if (code.goesOn(at)) {
                meet(before, ahead, at + 1, after);
            }
        }
        return before;
    }

    private static void meet(
            @Nullable Known[] before, Deque<Integer> ahead, int index, Known known) {
        Known old = before[index];
        Known met = old == null ? known : old.and(known);
        if (!met.equals(old)) {
            before[index] = met;
            ahead.push(index);
        }
    }

    /** What is known after an instruction. */
    Known after(int index, Known before) {
        return switch (code.instruction(index)) {
            case StoreInstruction store -> {
                int slot = store.slot();
                Known after = before.without(slot);
                if (store.typeKind().slotSize() > 1) {
                    after = after.without(slot + 1);
                }
                Integer constant = tested.contains(slot) ? constantStored(index) : null;
                yield constant == null ? after : after.with(slot, constant == 1);
            }
            case IncrementInstruction increment -> before.without(increment.slot());
            default -> before;
        };
    }

    /** The constant, 0 or 1, that an instruction stores; null if it is another or none. */
    private @Nullable Integer constantStored(int index) {
        return index > 0
                        && !targets.contains(index)
                        && code.instruction(index - 1) instanceof ConstantInstruction constant
                        && constant.constantValue() instanceof Integer value
                        && (value == 0 || value == 1)
                ? value
                : null;
    }

    /** Whether a branch jumps; null if that is not known. */
    @Nullable Boolean jumps(int index, Known known) {
        int slot = slotTested(index);
        if (slot < 0 || !known.has(slot)) {
            return null;
        }
        return known.isOne(slot) == (code.instruction(index).opcode() == Opcode.IFNE);
    }

    /** The local variable that an instruction tests; -1 if none. */
    private int slotTested(int index) {
        boolean tests =
                index > 0
                        && !targets.contains(index)
                        && code.instruction(index) instanceof BranchInstruction branch
                        && (branch.opcode() == Opcode.IFEQ || branch.opcode() == Opcode.IFNE);
        return tests
                        && code.instruction(index - 1) instanceof LoadInstruction load
                        && load.typeKind() == TypeKind.INT
                ? load.slot()
                : -1;
    }
}

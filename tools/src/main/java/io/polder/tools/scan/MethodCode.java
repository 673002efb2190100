package io.polder.tools.scan;

import java.lang.classfile.CodeElement;
import java.lang.classfile.Instruction;
import java.lang.classfile.Label;
import java.lang.classfile.Opcode;
import java.lang.classfile.attribute.CodeAttribute;
import java.lang.classfile.instruction.BranchInstruction;
import java.lang.classfile.instruction.ExceptionCatch;
import java.lang.classfile.instruction.LineNumber;
import java.lang.classfile.instruction.LookupSwitchInstruction;
import java.lang.classfile.instruction.ReturnInstruction;
import java.lang.classfile.instruction.SwitchCase;
import java.lang.classfile.instruction.TableSwitchInstruction;
import java.lang.classfile.instruction.ThrowInstruction;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The instructions of a method, by index.
 *
 * <p>Everything that is wrong with them, a branch to nowhere as well as an end that is run over, is
 * an {@link IllegalArgumentException}.
 */
final class MethodCode {
    private static final String THROWABLE = "java/lang/Throwable";

    private final List<Instruction> instructions = new ArrayList<>();
    private final List<Integer> lines = new ArrayList<>();
    private final Map<Integer, Integer> indexes = new HashMap<>();
    private final CodeAttribute code;
    private final List<Handler> handlers = new ArrayList<>();

    /**
     * Code that is run when an instruction throws.
     *
     * @param from the first instruction it is for
     * @param to the first one after those
     * @param target where it begins
     * @param catchesAll whatever is thrown
     */
    record Handler(int from, int to, int target, boolean catchesAll) {
        boolean covers(int index) {
            return from <= index && index < to;
        }
    }

    MethodCode(CodeAttribute code) {
        this.code = code;
        int line = 0;
        int offset = 0;
        for (CodeElement element : code) {
            switch (element) {
                case Instruction instruction -> {
                    indexes.put(offset, instructions.size());
                    offset += instruction.sizeInBytes();
                    instructions.add(instruction);
                    lines.add(line);
                }
                case LineNumber number -> line = number.line();
                default -> {
                    // Says nothing about what is executed.
                }
            }
        }
        // The end of a handler's range may be the end of the code.
        indexes.put(offset, instructions.size());
        for (ExceptionCatch handler : code.exceptionHandlers()) {
            handlers.add(
                    new Handler(
                            target(handler.tryStart()),
                            target(handler.tryEnd()),
                            target(handler.handler()),
                            handler.catchType()
                                    .map(type -> type.asInternalName().equals(THROWABLE))
                                    .orElse(true)));
        }
    }

    int size() {
        return instructions.size();
    }

    /** The instruction with an index. */
    Instruction instruction(int index) {
        if (index >= instructions.size()) {
            throw new IllegalArgumentException(
                    "execution stays within the code: index="
                            + index
                            + ", instructions="
                            + instructions.size());
        }
        return instructions.get(index);
    }

    /** The line in the source; 0 if the class file does not say. */
    int line(int index) {
        return lines.get(index);
    }

    /** The index of the instruction at a label. */
    int target(Label label) {
        int offset = code.labelToBci(label);
        Integer index = indexes.get(offset);
        if (index == null) {
            throw new IllegalArgumentException(
                    "an instruction begins where a label is: offset=" + offset);
        }
        return index;
    }

    /** Indexes of the instructions that an instruction jumps to, without what comes next. */
    List<Integer> targets(int index) {
        List<Label> labels =
                switch (instruction(index)) {
                    case BranchInstruction branch -> List.of(branch.target());
                    case TableSwitchInstruction table ->
                            labels(table.defaultTarget(), table.cases());
                    case LookupSwitchInstruction table ->
                            labels(table.defaultTarget(), table.cases());
                    default -> List.of();
                };
        return labels.stream().map(this::target).toList();
    }

    private static List<Label> labels(Label otherwise, List<SwitchCase> cases) {
        return Stream.concat(Stream.of(otherwise), cases.stream().map(SwitchCase::target)).toList();
    }

    /** Whether the instruction that comes next may be executed after an instruction. */
    boolean goesOn(int index) {
        return switch (instruction(index)) {
            case BranchInstruction branch ->
                    branch.opcode() != Opcode.GOTO && branch.opcode() != Opcode.GOTO_W;
            case TableSwitchInstruction _, LookupSwitchInstruction _ -> false;
            case ReturnInstruction _, ThrowInstruction _ -> false;
            default -> true;
        };
    }

    /** The handlers, in the order in which the JVM asks them. */
    List<Handler> handlers() {
        return handlers;
    }
}

package io.polder.lab.scan;

import io.polder.lab.scan.MethodCode.Handler;

import org.jspecify.annotations.Nullable;

import java.lang.classfile.Instruction;
import java.lang.classfile.Opcode;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.ArrayStoreInstruction;
import java.lang.classfile.instruction.BranchInstruction;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.ReturnInstruction;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;

/**
 * The ways of one arena through the method that opens it.
 *
 * <pre>{@code
 *   opened --> path --> closed                    it was closed, whatever comes after
 *               | ^ \
 *               +-+  +-> open, given away         the method ended, or lost sight of the arena, and
 *                    |                            others have it
 *                    +-> open                     the same, and nobody has it
 * }</pre>
 *
 * <p>A path is an instruction, {@linkplain Holders where} the method holds the arena before it,
 * and in what {@linkplain Way ways} others got it so far. Paths are never merged, so what is found
 * holds for each of them; there are few, because all other values are one. What is not known is
 * taken to be possible: that a condition is true or false, that a call throws anything, and that an
 * exception is of a handler's type or not. Two things are known: an arena is not null, so a test
 * for that, which try-with-resources makes, has one outcome; and so has a test of a {@linkplain
 * Flags flag}.
 *
 * <p>Who has an arena for certain has it, even if the method closes it when something goes wrong.
 * Who only may have it does not, if the method closes it when nothing does.
 *
 * <p>An arena that is opened again in a loop is another one: the first may be lost by then.
 */
final class ArenaFlow {
    /** After so many paths the method is too involved. Guessed: far more than any real one has. */
    private static final int PATHS_MAX = 50_000;

    private final MethodCode code;
    private final Flags flags;
    private final Set<Path> seen = new HashSet<>();
    private final Deque<Path> ahead = new ArrayDeque<>();
    private final Set<Integer> allocations = new TreeSet<>();
    private final EnumSet<Way> ways = EnumSet.noneOf(Way.class);
    private final EnumSet<Way> waysLeftOpen = EnumSet.noneOf(Way.class);
    private boolean closed;
    private boolean closedUnthrown;
    private boolean leftOpen;
    private boolean decided = true;

    /**
     * A path up to an instruction.
     *
     * @param thrown whether something was thrown and caught on it
     */
    private record Path(int index, Holders holders, Known known, Set<Way> ways, boolean thrown) {
        Path to(int target, Holders after, Known knownAfter) {
            return new Path(target, after, knownAfter, ways, thrown);
        }

        Path toHandler(int target) {
            return new Path(target, holders.caught(), known, ways, true);
        }

        Path with(Way way) {
            EnumSet<Way> more = EnumSet.of(way);
            more.addAll(ways);
            return new Path(index, holders, known, more, thrown);
        }
    }

    private ArenaFlow(MethodCode code, Flags flags) {
        this.code = code;
        this.flags = flags;
    }

    /**
     * Follows an arena, or another allocator.
     *
     * @param opened index of the instruction that leaves it on the stack
     * @throws IllegalArgumentException if the code is broken
     */
    static ArenaFlow from(MethodCode code, int opened) {
        ArenaFlow flow = from(code, opened, Flags.of(code));
        // Each flag may double the paths.
        return flow.decided ? flow : from(code, opened, Flags.none(code));
    }

    private static ArenaFlow from(MethodCode code, int opened, Flags flags) {
        ArenaFlow flow = new ArenaFlow(code, flags);
        Known known = flags.before(opened);
        flow.go(new Path(opened + 1, Holders.onTop(), known, EnumSet.noneOf(Way.class), false));
        flow.run();
        return flow;
    }

    /** What becomes of the arena. */
    Verdict verdict() {
        if (!decided) {
            return Verdict.of(Fate.UNDECIDED);
        }
        for (Way way : waysLeftOpen) {
            if (way.isCertain()) {
                return Verdict.escapes(way);
            }
        }
        if (closed && !leftOpen) {
            return Verdict.of(Fate.CLOSED);
        }
        Set<Way> given = closed ? waysLeftOpen : ways;
        if (!closedUnthrown && !given.isEmpty()) {
            return Verdict.escapes(given.iterator().next());
        }
        return Verdict.of(closed ? Fate.SOMETIMES : Fate.UNCLOSED);
    }

    /** Indexes of the instructions that allocate from it. */
    Set<Integer> allocations() {
        return allocations;
    }

    private void run() {
        while (!ahead.isEmpty()) {
            if (seen.size() > PATHS_MAX) {
                decided = false;
                return;
            }
            step(ahead.pop());
        }
    }

    private void step(Path path) {
        Instruction instruction = code.instruction(path.index());
        Path given = give(path, instruction);
        if (instruction instanceof InvokeInstruction invoke) {
            Arguments arguments = Arguments.of(invoke, path.holders());
            if (Callees.closes(invoke, arguments)) {
                closed = true;
                closedUnthrown |= !path.thrown();
                return;
            }
            if (arguments.receiver() && Calls.kind(invoke.method()) == UseKind.ALLOCATE) {
                allocations.add(path.index());
            }
        }
        if (Throwing.mayThrow(instruction, path.holders())) {
            // A field or an array did not get it then; a callee may have kept it.
            boolean stored = given.ways().contains(Way.STORE) && !path.ways().contains(Way.STORE);
            throwFrom(stored ? path : given);
        }
        goOn(given, instruction, StackEffect.after(instruction, path.holders()));
    }

    /** The path with the way in which the instruction gives the arena to others, if it does. */
    private Path give(Path path, Instruction instruction) {
        Holders holders = path.holders();
        return switch (instruction) {
            case ReturnInstruction result
                    when result.typeKind() == TypeKind.REFERENCE && holders.atDepth(0) ->
                    note(path, Way.RETURN);
            case FieldInstruction field when isPut(field) && holders.atDepth(0) ->
                    note(path, Way.STORE);
            case ArrayStoreInstruction store
                    when store.typeKind() == TypeKind.REFERENCE && holders.atDepth(0) ->
                    note(path, Way.STORE);
            case InvokeInstruction invoke
                    when Callees.mayKeep(invoke, Arguments.of(invoke, holders)) ->
                    note(path, Way.PASS);
            case InvokeDynamicInstruction invoke when isGiven(invoke, holders) ->
                    note(path, Callees.captures(invoke.invokedynamic()) ? Way.CAPTURE : Way.PASS);
            default -> path;
        };
    }

    private Path note(Path path, Way way) {
        ways.add(way);
        return path.with(way);
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

    private void throwFrom(Path path) {
        for (Handler handler : code.handlers()) {
            if (handler.covers(path.index())) {
                go(path.toHandler(handler.target()));
                if (handler.catchesAll()) {
                    return;
                }
            }
        }
        leaveOpen(path);
    }

    private void goOn(Path path, Instruction instruction, Holders after) {
        int index = path.index();
        if (instruction instanceof ReturnInstruction) {
            leaveOpen(path);
            return;
        }
        Boolean known = instruction instanceof BranchInstruction ? jumps(path) : null;
        Known knownAfter = flags.after(index, path.known());
        if (known == null || known) {
            code.targets(index).forEach(target -> go(path.to(target, after, knownAfter)));
        }
        if (code.goesOn(index) && (known == null || !known)) {
            go(path.to(index + 1, after, knownAfter));
        }
    }

    /** Whether a branch jumps; null if that is not known. */
    private @Nullable Boolean jumps(Path path) {
        boolean arenaTested = path.holders().atDepth(0);
        return switch (code.instruction(path.index()).opcode()) {
            case IFNULL -> arenaTested ? false : null;
            case IFNONNULL -> arenaTested ? true : null;
            default -> flags.jumps(path.index(), path.known());
        };
    }

    private void go(Path path) {
        if (path.holders().isEmpty()) {
            leaveOpen(path);
        } else if (seen.add(path)) {
            ahead.push(path);
        }
    }

    private void leaveOpen(Path path) {
        leftOpen = true;
        waysLeftOpen.addAll(path.ways());
    }
}

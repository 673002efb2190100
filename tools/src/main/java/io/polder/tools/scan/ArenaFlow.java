package io.polder.tools.scan;

import io.polder.tools.scan.Course.End;
import io.polder.tools.scan.MethodCode.Handler;

import org.jspecify.annotations.Nullable;

import java.lang.classfile.Instruction;
import java.lang.classfile.instruction.BranchInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.ReturnInstruction;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
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
 * what its flags are, and whether something was thrown. Paths are merged where all of that is the
 * same; there are few, because all other values are one. What is not known is taken to be possible:
 * that a condition is true or false, that a call throws anything, and that an exception is of a
 * handler's type or not. Two things are known: an arena is not null, so a test for that, which
 * try-with-resources makes, has one outcome; and so has a test of a {@linkplain Flags flag}.
 *
 * <p>Who has an arena for {@linkplain HandOver#certain certain} has it, even if the method closes
 * it when something goes wrong. Code that only may have it does not, if the method closes it after
 * it has given it to that one, and when nothing went wrong.
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
    private final Course course = new Course();
    private final Set<Integer> allocations = new TreeSet<>();
    private final Set<HandOver> handOvers = new HashSet<>();
    private boolean decided = true;

    /**
     * A path up to an instruction.
     *
     * @param thrown whether something was thrown and caught on it
     */
    private record Path(int index, Holders holders, Known known, boolean thrown)
            implements Course.Point {
        Path to(int target, Holders after, Known knownAfter) {
            return new Path(target, after, knownAfter, thrown);
        }

        Path toHandler(int target) {
            return new Path(target, holders.caught(), known, true);
        }
    }

    private ArenaFlow(MethodCode code, Flags flags) {
        this.code = code;
        this.flags = flags;
    }

    /**
     * Follows an arena, or another allocator.
     *
     * @param flags those of the method
     * @param opened index of the instruction that leaves it on the stack
     * @throws IllegalArgumentException if the code is broken
     */
    static ArenaFlow from(MethodCode code, Flags flags, int opened) {
        ArenaFlow flow = from(code, opened, flags);
        // Each flag may double the paths.
        return flow.decided ? flow : from(code, opened, Flags.none(code));
    }

    private static ArenaFlow from(MethodCode code, int opened, Flags flags) {
        ArenaFlow flow = new ArenaFlow(code, flags);
        Known known = flags.before(opened);
        Path first = new Path(opened + 1, Holders.onTop(), known, false);
        flow.seen.add(first);
        flow.ahead.push(first);
        flow.run();
        return flow;
    }

    /** What becomes of the arena. */
    Verdict verdict() {
        if (!decided) {
            return Verdict.of(Fate.UNDECIDED);
        }
        boolean closed = course.reaches(End.CLOSED) || course.reaches(End.CLOSED_CAUGHT);
        if (closed && !course.reaches(End.OPEN)) {
            return Verdict.of(Fate.CLOSED);
        }
        Set<Course.Point> leftOpen = course.leadingTo(End.OPEN);
        Set<Course.Point> owned = course.leadingTo(End.CLOSED);
        return handOvers.stream()
                .filter(given -> !closed || leftOpen.contains(given))
                .filter(given -> given.certain() || !owned.contains(given))
                .map(HandOver::way)
                .min(Comparator.naturalOrder())
                .map(Verdict::escapes)
                .orElse(Verdict.of(closed ? Fate.SOMETIMES : Fate.UNCLOSED));
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
        if (instruction instanceof InvokeInstruction invoke) {
            Arguments arguments = Arguments.of(invoke, path.holders());
            if (Callees.closes(invoke, arguments)) {
                course.leads(List.of(path), path.thrown() ? End.CLOSED_CAUGHT : End.CLOSED);
                return;
            }
            if (arguments.receiver() && Calls.kind(invoke.method()) == UseKind.ALLOCATE) {
                allocations.add(path.index());
            }
        }
        HandOver given = HandOver.at(code, path.index(), path.holders());
        if (given != null) {
            handOvers.add(given);
        }
        List<Course.Point> from = given == null ? List.of(path) : List.of(path, given);
        if (Throwing.mayThrow(instruction, path.holders())) {
            // A field or an array did not get it then; a callee may have kept it.
            throwFrom(given != null && given.way() == Way.STORE ? List.of(path) : from, path);
        }
        goOn(from, path, instruction);
    }

    private void throwFrom(List<Course.Point> from, Path path) {
        for (Handler handler : code.handlers()) {
            if (handler.covers(path.index())) {
                go(from, path.toHandler(handler.target()));
                if (handler.catchesAll()) {
                    return;
                }
            }
        }
        course.leads(from, End.OPEN);
    }

    private void goOn(List<Course.Point> from, Path path, Instruction instruction) {
        int index = path.index();
        if (instruction instanceof ReturnInstruction) {
            course.leads(from, End.OPEN);
            return;
        }
        Holders after = StackEffect.after(instruction, path.holders());
        Boolean known = instruction instanceof BranchInstruction ? jumps(path) : null;
        Known knownAfter = flags.after(index, path.known());
        if (known == null || known) {
            code.targets(index).forEach(target -> go(from, path.to(target, after, knownAfter)));
        }
        if (code.goesOn(index) && (known == null || !known)) {
            go(from, path.to(index + 1, after, knownAfter));
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

    private void go(List<Course.Point> from, Path to) {
        if (to.holders().isEmpty()) {
            course.leads(from, End.OPEN);
            return;
        }
        course.leads(from, to);
        if (seen.add(to)) {
            ahead.push(to);
        }
    }
}

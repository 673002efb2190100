package io.polder.tools.scan;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Methods made up at random, as Java source, and what becomes of the arena that each opens: found
 * by walking through the statements, which share nothing with class files.
 */
final class RandomMethods {
    private static final int DEPTH_MAX = 3;

    /** Calls that get the arena in one method: each is to a method of its own. */
    static final int GIVES_MAX = 64;

    private final Random random;
    private int gives;

    RandomMethods(Random random) {
        this.random = random;
    }

    /** How a statement ends. */
    enum End {
        NORMAL,
        RETURN,
        THROW
    }

    /** Whether the arena is closed, and if so, whether something had been caught before. */
    enum Arena {
        OPEN,
        CLOSED,
        CLOSED_CAUGHT
    }

    /**
     * What a method remembers.
     *
     * @param arena whether it is closed
     * @param caught whether something was thrown and caught, while the arena was open
     * @param given numbers of the calls that got the arena, while it was open
     * @param flag of the method, which statements set and test
     */
    record State(Arena arena, boolean caught, Set<Integer> given, boolean flag) {
        static State first() {
            return new State(Arena.OPEN, false, Set.of(), false);
        }

        boolean open() {
            return arena == Arena.OPEN;
        }

        State closed() {
            Arena after = caught ? Arena.CLOSED_CAUGHT : Arena.CLOSED;
            return open() ? new State(after, caught, given, flag) : this;
        }

        State afterCatch() {
            return open() ? new State(arena, true, given, flag) : this;
        }

        State given(int call) {
            Set<Integer> more = new TreeSet<>(given);
            more.add(call);
            return open() ? new State(arena, caught, more, flag) : this;
        }

        State withFlag(boolean value) {
            return new State(arena, caught, given, value);
        }
    }

    /** How a statement ends, and what holds then. */
    record Outcome(End end, State state) {}

    /** A statement in Java, and what it can do. */
    sealed interface Statement {
        String source();

        Set<Outcome> run(State state);
    }

    record Call() implements Statement {
        @Override
        public String source() {
            return "call();";
        }

        @Override
        public Set<Outcome> run(State state) {
            return Set.of(new Outcome(End.NORMAL, state), new Outcome(End.THROW, state));
        }
    }

    record Close() implements Statement {
        @Override
        public String source() {
            return "arena.close();";
        }

        @Override
        public Set<Outcome> run(State state) {
            return Set.of(new Outcome(End.NORMAL, state.closed()));
        }
    }

    /** Gives the arena to a method that may keep it, also if it throws. */
    record Give(int call) implements Statement {
        @Override
        public String source() {
            return "give" + call + "(arena);";
        }

        @Override
        public Set<Outcome> run(State state) {
            State after = state.given(call);
            return Set.of(new Outcome(End.NORMAL, after), new Outcome(End.THROW, after));
        }
    }

    /** Leaves the method; only within a branch, where what follows can still be reached. */
    record Leave(End end) implements Statement {
        @Override
        public String source() {
            return end == End.RETURN ? "return;" : "throw new Error();";
        }

        @Override
        public Set<Outcome> run(State state) {
            return Set.of(new Outcome(end, state));
        }
    }

    record If(Block then, Block otherwise) implements Statement {
        @Override
        public String source() {
            return "if (test()) {" + then.source() + "} else {" + otherwise.source() + "}";
        }

        @Override
        public Set<Outcome> run(State state) {
            Set<Outcome> outcomes = new HashSet<>(then.run(state));
            outcomes.addAll(otherwise.run(state));
            outcomes.add(new Outcome(End.THROW, state));
            return outcomes;
        }
    }

    record SetFlag(boolean value) implements Statement {
        @Override
        public String source() {
            return "flag = " + value + ";";
        }

        @Override
        public Set<Outcome> run(State state) {
            return Set.of(new Outcome(End.NORMAL, state.withFlag(value)));
        }
    }

    record IfFlag(Block then, Block otherwise) implements Statement {
        @Override
        public String source() {
            return "if (flag) {" + then.source() + "} else {" + otherwise.source() + "}";
        }

        @Override
        public Set<Outcome> run(State state) {
            return state.flag() ? then.run(state) : otherwise.run(state);
        }
    }

    record While(Block body) implements Statement {
        @Override
        public String source() {
            return "while (test()) {" + body.source() + "}";
        }

        @Override
        public Set<Outcome> run(State state) {
            Set<Outcome> outcomes = new HashSet<>();
            turn(state, outcomes, new HashSet<>());
            return outcomes;
        }

        private void turn(State state, Set<Outcome> outcomes, Set<State> seen) {
            if (seen.add(state)) {
                outcomes.add(new Outcome(End.NORMAL, state));
                outcomes.add(new Outcome(End.THROW, state));
                for (Outcome outcome : body.run(state)) {
                    if (outcome.end() == End.NORMAL) {
                        turn(outcome.state(), outcomes, seen);
                    } else {
                        outcomes.add(outcome);
                    }
                }
            }
        }
    }

    /** A try with a finally, which does not leave the method. */
    record Finally(Block body, Block last) implements Statement {
        @Override
        public String source() {
            return "try {" + body.source() + "} finally {" + last.source() + "}";
        }

        @Override
        public Set<Outcome> run(State state) {
            Set<Outcome> outcomes = new HashSet<>();
            for (Outcome outcome : body.run(state)) {
                State before =
                        outcome.end() == End.THROW ? outcome.state().afterCatch() : outcome.state();
                for (Outcome after : last.run(before)) {
                    outcomes.add(
                            after.end() == End.NORMAL
                                    ? new Outcome(outcome.end(), after.state())
                                    : after);
                }
            }
            return outcomes;
        }
    }

    /** A try with a handler, of everything or of something that may be thrown. */
    record Catch(Block body, Block handler, boolean all) implements Statement {
        @Override
        public String source() {
            String type = all ? "Throwable" : "RuntimeException";
            return "try {" + body.source() + "} catch (" + type + " _) {" + handler.source() + "}";
        }

        @Override
        public Set<Outcome> run(State state) {
            Set<Outcome> outcomes = new HashSet<>();
            for (Outcome outcome : body.run(state)) {
                if (outcome.end() == End.THROW) {
                    outcomes.addAll(handler.run(outcome.state().afterCatch()));
                    if (all) {
                        continue;
                    }
                }
                outcomes.add(outcome);
            }
            return outcomes;
        }
    }

    record Block(List<Statement> statements) {
        String source() {
            return String.join(" ", statements.stream().map(Statement::source).toList());
        }

        Set<Outcome> run(State state) {
            Set<Outcome> now = Set.of(new Outcome(End.NORMAL, state));
            for (Statement statement : statements) {
                Set<Outcome> next = new HashSet<>();
                for (Outcome outcome : now) {
                    next.addAll(
                            outcome.end() == End.NORMAL
                                    ? statement.run(outcome.state())
                                    : Set.of(outcome));
                }
                now = next;
            }
            return now;
        }

        Fate fate() {
            Set<Outcome> outcomes = run(State.first());
            Set<Integer> kept = given(outcomes, Arena.OPEN);
            boolean closed = outcomes.stream().anyMatch(outcome -> !outcome.state().open());
            boolean open = outcomes.stream().anyMatch(outcome -> outcome.state().open());
            if (closed && !open) {
                return Fate.CLOSED;
            }
            kept.removeAll(given(outcomes, Arena.CLOSED));
            if (!kept.isEmpty()) {
                return Fate.ESCAPES;
            }
            return closed ? Fate.SOMETIMES : Fate.UNCLOSED;
        }

        private static Set<Integer> given(Set<Outcome> outcomes, Arena arena) {
            return outcomes.stream()
                    .map(Outcome::state)
                    .filter(state -> state.arena() == arena)
                    .flatMap(state -> state.given().stream())
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }

    /** The body of a method, after it has opened the arena. */
    Block body() {
        gives = 0;
        // Half of them in the form that has a chance to be closed on every path.
        return random.nextBoolean()
                ? block(0)
                : new Block(List.of(new Finally(block(1), block(DEPTH_MAX - 1))));
    }

    private Block block(int depth) {
        List<Statement> statements = new ArrayList<>();
        for (int i = 1 + random.nextInt(3); i > 0; i--) {
            statements.add(statement(depth));
        }
        return new Block(statements);
    }

    private Statement statement(int depth) {
        return switch (random.nextInt(depth < DEPTH_MAX ? 12 : 4)) {
            case 0, 1 -> new Call();
            case 2 -> new Close();
            case 3 -> new SetFlag(random.nextBoolean());
            case 8 -> new IfFlag(block(depth + 1), block(depth + 1));
            case 9 -> new If(block(depth + 1), block(depth + 1));
            case 4 -> new If(new Block(List.of(new Leave(leave()))), block(depth + 1));
            case 5 -> new While(block(depth + 1));
            case 6 -> new Finally(block(depth + 1), block(depth + 1));
            case 10 -> gives < GIVES_MAX ? new Give(gives++) : new Call();
            default -> new Catch(block(depth + 1), block(depth + 1), random.nextBoolean());
        };
    }

    private End leave() {
        return random.nextBoolean() ? End.RETURN : End.THROW;
    }
}

package io.polder.lab.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

class ChildJvmTest {
    private static final Duration LONG = Duration.ofSeconds(200);

    private final List<String> lines = new ArrayList<>();

    @Test
    void child_getsArgumentsAndIsHeardLineByLine() throws Exception {
        child(Echo.class, LONG, List.of("-Dx=y"), "a", "b c").run(lines::add);

        assertThat(lines).containsExactly("a", "b c", "y");
    }

    @Test
    void child_hasTheVariablesItIsGiven() throws Exception {
        Map<String, String> environment = Map.of("POLDER_TEST_VARIABLE", "7");

        new ChildJvm(Variable.class, List.of(), List.of(), LONG, environment).run(lines::add);

        assertThat(lines).containsExactly("7");
    }

    @Test
    void child_thatFails_isReportedWithItsStderr() {
        assertThatThrownBy(() -> child(Dies.class, LONG, List.of()).run(lines::add))
                .isInstanceOf(ChildJvmException.class)
                .hasMessageContaining("ended with exit code 7; its stderr:")
                .hasMessageContaining("out of luck");
    }

    @Test
    void child_thatThrows_isReportedWithItsStackTrace() {
        assertThatThrownBy(() -> child(Throws.class, LONG, List.of()).run(lines::add))
                .isInstanceOf(ChildJvmException.class)
                .hasMessageContaining("ended with exit code 1")
                .hasMessageContaining("IllegalStateException: no such thing");
    }

    @Test
    void child_thatWritesGarbage_isKilled() {
        assertThatThrownBy(
                        () ->
                                child(Babbles.class, LONG, List.of())
                                        .run(
                                                line -> {
                                                    throw new IllegalArgumentException(
                                                            "line=" + line);
                                                }))
                .isInstanceOf(ChildJvmException.class)
                .hasMessageContaining("wrote what is not understood: line=babble")
                .hasCauseInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void child_thatTakesTooLong_isKilled() {
        ChildJvm child = child(Sleeps.class, Duration.ofSeconds(1), List.of());

        assertThatThrownBy(() -> child.run(lines::add))
                .isInstanceOf(ChildJvmException.class)
                .hasMessageContaining("took longer than 1 s");
    }

    @Test
    void child_thatCannotStart_isReported() {
        assertThatThrownBy(
                        () ->
                                child(Echo.class, LONG, List.of("-XX:+NoSuchFlagAnywhere"))
                                        .run(lines::add))
                .isInstanceOf(ChildJvmException.class)
                .hasMessageContaining("NoSuchFlagAnywhere");
    }

    @Test
    void child_thatWritesMuchToStderr_doesNotBlock() throws Exception {
        child(Complains.class, LONG, List.of()).run(lines::add);

        assertThat(lines).containsExactly("done");
    }

    @Test
    void child_doesNotOutliveItsParent() throws Exception {
        // The middle JVM starts a child that sleeps, tells its process id, and ends.
        child(Parent.class, LONG, List.of()).run(lines::add);

        assertThat(lines).hasSize(1);
        long pid = Long.parseLong(lines.get(0));
        long deadline = System.nanoTime() + Duration.ofSeconds(200).toNanos();
        while (isAlive(pid) && System.nanoTime() < deadline) {
            Thread.sleep(20);
        }
        assertThat(isAlive(pid)).isFalse();
    }

    private static boolean isAlive(long pid) {
        return ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false);
    }

    private static ChildJvm child(
            Class<?> mainClass, Duration timeout, List<String> jvmArgs, String... args) {
        return new ChildJvm(mainClass, jvmArgs, List.of(args), timeout);
    }

    /** Says what it was told. */
    static final class Echo {
        public static void main(String[] args) {
            List.of(args).forEach(System.out::println);
            System.out.println(System.getProperty("x"));
        }
    }

    /** Says what a variable holds. */
    static final class Variable {
        public static void main(String[] args) {
            System.out.println(System.getenv("POLDER_TEST_VARIABLE"));
        }
    }

    /** Ends with a code. */
    static final class Dies {
        public static void main(String[] args) {
            System.err.println("out of luck");
            System.exit(7);
        }
    }

    /** Ends with an exception. */
    static final class Throws {
        public static void main(String[] args) {
            if (args.length == 0) {
                throw new IllegalStateException("no such thing");
            }
        }
    }

    /** Never stops talking. */
    static final class Babbles {
        public static void main(String[] args) throws InterruptedException {
            while (true) {
                System.out.println("babble");
                Thread.sleep(10);
            }
        }
    }

    /** Never ends. */
    static final class Sleeps {
        public static void main(String[] args) throws InterruptedException {
            System.out.println(ProcessHandle.current().pid());
            Thread.sleep(Duration.ofMinutes(5));
        }
    }

    /** Writes more to stderr than a pipe holds. */
    static final class Complains {
        public static void main(String[] args) {
            IntStream.range(0, 20_000).forEach(i -> System.err.println("complaint " + i));
            System.out.println("done");
        }
    }

    /** Ends while its child sleeps. */
    static final class Parent {
        public static void main(String[] args) throws Exception {
            child(Sleeps.class, LONG, List.of())
                    .run(
                            line -> {
                                System.out.println(line);
                                System.exit(0);
                            });
        }
    }
}

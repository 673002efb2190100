package io.polder.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.agent.Program.Result;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

import java.nio.file.Path;
import java.util.List;

/** What the agent writes where nobody reads it, and where the Java heap has no room for it. */
class LastOutputTest extends ProgramFixture {
    private static final String PIPED =
            """
            package example;

            import java.lang.foreign.Arena;

            public class Piped {
                static class Opens {
                    static Arena open() {
                        return Arena.ofConfined();
                    }
                }

                static boolean isWriting() {
                    for (var each : Thread.getAllStackTraces().entrySet()) {
                        for (StackTraceElement frame : each.getValue()) {
                            if (each.getKey().getName().equals("polder-census")
                                    && frame.getMethodName().equals("tryWrite")) {
                                return true;
                            }
                        }
                    }
                    return false;
                }

                public static void main(String[] arguments) throws Exception {
                    while (!isWriting()) {
                        Thread.sleep(5);
                    }
                    System.out.println(Opens.open().getClass().getSimpleName());
                    System.out.flush();
                    Runtime.getRuntime().halt(0); // the end waits for who reads
                }
            }
            """;

    @Test
    @EnabledOnOs({OS.LINUX, OS.MAC})
    void census_toAPipeThatNobodyReads_holdsUpNoArena() throws Exception {
        Path pipe = temporary.resolve("pipe");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
        Program.compile(classes, Program.LIBRARY, PIPED);
        Result result =
                program.run("census.seconds=1,census=pipe", "-cp", "classes", "example.Piped")
                        .succeeds();
        assertThat(result.lines()).containsExactly("ConfinedArena");
    }

    @Test
    @Tag("full") // it takes as long as the agent waits
    @EnabledOnOs({OS.LINUX, OS.MAC})
    void report_toAPipeThatNobodyReads_endsAllTheSame() throws Exception {
        Path pipe = temporary.resolve("pipe");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
        Program.compile(classes, Program.LIBRARY, Programs.FORMS);
        Result result = program.run("report=pipe", "-cp", "classes", "example.Forms").succeeds();
        assertThat(result.errors()).contains("pipe cannot be written: ", "nobody reads it");
    }

    private static final String FULL =
            """
            package example;

            import java.lang.foreign.Arena;

            public class Full {
                static Object[] last;
                static byte[] forTheJvm = new byte[64 << 10];

                public static void main(String[] arguments) {
                    try (Arena arena = Arena.ofConfined()) {
                        arena.allocate(10);
                    }
                    for (int size = 1 << 18; size >= 1024; size /= 2) {
                        try {
                            while (true) {
                                Object[] next = new Object[size];
                                next[0] = last;
                                last = next;
                            }
                        } catch (OutOfMemoryError full) {
                            // Smaller ones.
                        }
                    }
                    forTheJvm = null;
                }
            }
            """;

    /** With a collector that leaves enough for the JVM to run hooks at all. */
    @Test
    void report_javaHeapIsFull_isWritten() throws Exception {
        Program.compile(classes, Program.LIBRARY, FULL);
        List<String> flags = List.of("-Xmx32m", "-XX:+UseSerialGC");
        String options = "report=report,census=census";
        Result _ = program.run(flags, options, "-cp", "classes", "example.Full").succeeds();
        assertThat(temporary.resolve("report")).content().contains("Agent: pool=confined");
        assertThat(temporary.resolve("census")).content().contains("By call site");
    }
}

package io.polder.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.agent.Program.Result;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

import java.nio.file.Path;
import java.util.List;

/** What the agent writes last, where that waits, or there is hardly any memory for it. */
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

    /** Keeps so much that no other array of 8 KiB would fit into the heap. */
    private static final String FULL =
            """
            package example;

            import java.lang.foreign.Arena;

            public class Full {
                static Object kept;

                public static void main(String[] arguments) {
                    try (Arena arena = Arena.ofConfined()) {
                        arena.allocate(8);
                    }
                    for (int bytes = 1 << 20; bytes >= 1 << 13; bytes >>= 1) {
                        try {
                            while (true) {
                                kept = new Object[] {kept, new byte[bytes]};
                            }
                        } catch (OutOfMemoryError e) {
                            // Smaller ones may fit.
                        }
                    }
                }
            }
            """;

    @Test
    void report_ofAProgramThatFilledTheHeap_isWritten() throws Exception {
        Program.compile(classes, Program.LIBRARY, FULL);
        List<String> flags = List.of("-Xmx32m", "-XX:+UseSerialGC");
        Result result = program.run(flags, "report", "-cp", "classes", "example.Full").succeeds();
        assertThat(result.errors()).startsWith("Pool common").contains("1 class rewritten");
    }
}

package io.polder.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.agent.Program.Result;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

import java.nio.file.Path;

/** What the agent writes where nobody reads it. */
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
}

package io.polder.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.agent.Program.Result;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** What a program waits for under the agent before it has its first arena, seen from outside. */
@EnabledOnOs(OS.LINUX)
class FirstArenasTest {
    /** Opens so many arenas as it is told, and says what the first and the last one are. */
    private static final String SEVERAL =
            """
            package example;

            import java.lang.foreign.Arena;

            public class Several {
                public static void main(String[] arguments) {
                    int count = Integer.parseInt(arguments[0]);
                    for (int i = 1; i <= count; i++) {
                        try (Arena arena = Arena.ofConfined()) {
                            arena.allocate(100);
                            if (i == 1 || i == count) {
                                System.out.println(arena.getClass().getName());
                            }
                        }
                    }
                }
            }
            """;

    @TempDir private Path temporary;
    private Path log;
    private Program program;

    @BeforeEach
    void setUp() throws Exception {
        Path classes = Files.createDirectory(temporary.resolve("classes"));
        Program.compile(classes, Program.LIBRARY, SEVERAL);
        log = temporary.resolve("classes.log");
        program = new Program(temporary).withBootstrapArenas();
    }

    @Test
    void oneArena_linksNothingAndMakesNoPool() throws Exception {
        assertThat(run(1).lines()).containsExactly("io.polder.BootstrapArena");
        assertThat(classesLoaded())
                .contains("io.polder.BootstrapArena")
                .noneMatch(name -> name.startsWith("jdk.internal.foreign.abi.AbstractLinker"))
                .doesNotContain("io.polder.PoolMemory", "io.polder.memory.LinuxCalls");
    }

    @Test
    void manyArenas_areOnThePool() throws Exception {
        assertThat(run(1000).lines())
                .containsExactly("io.polder.BootstrapArena", "io.polder.arena.ConfinedArena");
        assertThat(classesLoaded())
                .contains("jdk.internal.foreign.abi.AbstractLinker", "io.polder.PoolMemory");
    }

    /** No more is loaded for a program without arenas than what looks for them. */
    @Test
    void noArena_loadsNothingThatRewrites() throws Exception {
        assertThat(run(0).lines()).isEmpty();
        assertThat(classesLoaded())
                .contains("io.polder.agent.rewrite.ConstantPoolScan")
                .doesNotContain("io.polder.MemoryPool", "io.polder.agent.library.EmbeddedModule");
    }

    private Result run(int arenas) throws Exception {
        Result result =
                program.run(
                                List.of("-Xlog:class+load:file=" + log),
                                "",
                                "-cp",
                                "classes",
                                "example.Several",
                                Integer.toString(arenas))
                        .succeeds();
        assertThat(result.errors()).isEmpty();
        return result;
    }

    private List<String> classesLoaded() throws Exception {
        return Files.readAllLines(log).stream()
                .map(line -> line.replaceFirst("^(\\[[^]]*\\])*", "").strip().split(" ", 2)[0])
                .toList();
    }
}

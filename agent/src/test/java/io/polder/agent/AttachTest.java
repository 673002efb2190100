package io.polder.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.tools.attach.AgentInitializationException;
import com.sun.tools.attach.VirtualMachine;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The agent that comes while the program runs. */
class AttachTest {
    private static final long DEADLINE_SECONDS = 60;

    @TempDir private Path temporary;
    private Program.Started run;
    private OutputStream input;
    private int lines;

    @BeforeEach
    void setUp() throws Exception {
        Path classes = Files.createDirectory(temporary.resolve("classes"));
        Program.compile(classes, Program.LIBRARY, Programs.LASTING);
        run =
                new Program(temporary)
                        .start(
                                List.of("-XX:+EnableDynamicAgentLoading"),
                                "none",
                                "-cp",
                                "classes",
                                "example.Lasting");
        input = run.process().getOutputStream();
        assertThat(nextLine()).isEqualTo("begun");
    }

    @AfterEach
    void tearDown() {
        run.process().destroyForcibly();
    }

    @Test
    void attach_loadedClass_isRewritten() throws Exception {
        assertThat(open()).isEqualTo("ArenaImpl");
        attach("");
        assertThat(open()).isEqualTo("ConfinedArena");
        assertThat(end().errors()).isEmpty();
    }

    @Test
    void attach_again_changesNothing() throws Exception {
        attach("pool=confined");
        attach("pool=confined");
        assertThat(open()).isEqualTo("ConfinedArena");
        assertThatThrownBy(() -> attach("pool=shared"))
                .isInstanceOf(AgentInitializationException.class);
        assertThat(open()).isEqualTo("ConfinedArena");
        assertThat(end().errors()).contains("the agent is there already: pool=confined");
    }

    @Test
    void attach_wrongOptions_failsAndTheProgramGoesOn() throws Exception {
        assertThatThrownBy(() -> attach("poool")).isInstanceOf(AgentInitializationException.class);
        assertThat(open()).isEqualTo("ArenaImpl");
        assertThat(end().errors()).contains("option=poool");
    }

    @Test
    void census_forSomeTime_endsAndLeavesTheProgramAsItWas() throws Exception {
        Path json = temporary.resolve("census.json");
        attach("pool=off,census.json=" + json + ",census.seconds=86400");
        assertThat(open()).isEqualTo("CountedArena");
        assertThatThrownBy(() -> attach("census")).isInstanceOf(AgentInitializationException.class);
        assertThat(end().exitCode()).isZero();
        assertThat(json).content().contains("\"opened\": 1, \"closed\": 1, \"bytes\": 20");
    }

    @Test
    void census_twice_countsFromNothing() throws Exception {
        for (int round = 1; round <= 2; round++) {
            Path json = temporary.resolve("census" + round + ".json");
            attach("pool=off,census.json=" + json + ",census.seconds=1");
            awaitFile(json);
            // The file is there before the classes are as they were.
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_SECONDS);
            while (!open().equals("ArenaImpl")) {
                assertThat(System.nanoTime()).isLessThan(deadline);
            }
            assertThat(json).content().contains("\"opened\": 0, \"closed\": 0");
        }
        assertThat(end().exitCode()).isZero();
    }

    @Test
    void pool_afterCensus_isSwitchedOn() throws Exception {
        Path json = temporary.resolve("census.json");
        attach("pool=off,census.json=" + json);
        assertThat(open()).isEqualTo("CountedArena");
        attach("pool=both");
        assertThat(open()).isEqualTo("CountedArena");
        assertThat(end().exitCode()).isZero();
        assertThat(json).content().contains("\"opened\": 2");
    }

    private void attach(String options) throws Exception {
        VirtualMachine machine = VirtualMachine.attach(Long.toString(run.process().pid()));
        try {
            machine.loadAgent(Program.AGENT.toString(), options);
        } finally {
            machine.detach();
        }
    }

    /** Has the program open an arena, and returns its kind. */
    private String open() throws Exception {
        input.write('x');
        input.flush();
        return nextLine();
    }

    private Program.Result end() throws Exception {
        input.close();
        return Program.finish(run);
    }

    private String nextLine() throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_SECONDS);
        while (System.nanoTime() < deadline) {
            List<String> all = completeLines();
            if (all.size() > lines) {
                return all.get(lines++);
            }
            TimeUnit.MILLISECONDS.sleep(5);
        }
        throw new AssertionError("no line: " + Files.readString(run.errors()));
    }

    private List<String> completeLines() throws IOException {
        String text = Files.readString(run.output());
        return text.substring(0, text.lastIndexOf('\n') + 1).lines().toList();
    }

    private void awaitFile(Path file) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_SECONDS);
        while (!Files.exists(file)) {
            assertThat(System.nanoTime()).as("no " + file).isLessThan(deadline);
            TimeUnit.MILLISECONDS.sleep(20);
        }
    }
}

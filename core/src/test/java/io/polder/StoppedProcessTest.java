package io.polder;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.arena.Seed;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * The whole process stands still for longer than a thread waits for others that do not get on, as
 * when a container is paused: none is refused for that. See {@link StoppedProbe} and {@link
 * StoppedCloseProbe}.
 */
@EnabledOnOs(OS.LINUX)
class StoppedProcessTest {
    private static final int STOPS = 6;
    private static final long STOPPED_MILLIS = 1_200;
    private static final long RUNNING_MILLIS = 200;

    @Test
    void allocate_processStoodStill_isNotRefused() {
        long seed = Seed.get();
        Seed.naming(seed, () -> stopAndContinue(seed));
    }

    /** Who closes a deferred arena stood still as well. */
    @Test
    void allocate_processStoodStillWhileAnArenaWasClosed_isNotRefused() {
        ChildJvm.Result child =
                ChildJvm.program(
                        List.of("-Xmx64m", ChildJvm.NATIVE_ACCESS), StoppedCloseProbe.class);
        assertThat(child.err()).isEmpty();
        assertThat(child.out()).isEqualTo("granted\n");
    }

    private static void stopAndContinue(long seed) throws IOException, InterruptedException {
        Process process =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-Xmx128m",
                                ChildJvm.NATIVE_ACCESS,
                                "-cp",
                                ChildJvm.classPath(),
                                StoppedProbe.class.getName(),
                                String.valueOf(seed))
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        CompletableFuture.delayedExecutor(300, TimeUnit.SECONDS) // else it could be read for ever
                .execute(process::destroyForcibly);
        List<String> told = new ArrayList<>();
        try (BufferedReader out = process.inputReader()) {
            assertThat(out.readLine()).isEqualTo("begun");
            for (int i = 0; i < STOPS; i++) {
                Thread.sleep(RUNNING_MILLIS);
                signal(process, "STOP");
                Thread.sleep(STOPPED_MILLIS);
                signal(process, "CONT");
            }
            process.getOutputStream().close();
            out.lines().forEach(told::add);
        } finally {
            process.destroyForcibly().waitFor();
        }
        assertThat(told).containsExactly("refused=0");
    }

    private static void signal(Process process, String name)
            throws IOException, InterruptedException {
        String pid = String.valueOf(process.pid());
        int exitCode = new ProcessBuilder("kill", "-" + name, pid).inheritIO().start().waitFor();
        assertThat(exitCode).isZero();
    }
}

package io.polder.stress.soak;

import io.polder.stress.everywhere.Require;
import io.polder.tools.result.Environment;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.util.Map;
import java.util.SplittableRandom;

/** The command behind {@code stress/soak}. */
public final class Main {
    private Main() {}

    /**
     * Soaks. Exit code 0 if all is well, 1 if something is wrong or grows, 2 if it could not begin.
     *
     * @param arguments {@code --seconds N} and perhaps {@code --leak-every N}, to show that a leak
     *     is
     *     found, and {@code --folder FOLDER} for the results
     */
    public static void main(String[] arguments) throws InterruptedException, IOException {
        SoakOptions options;
        try {
            options = SoakOptions.parse(arguments);
        } catch (IllegalArgumentException wrong) {
            System.err.println("soak: " + wrong.getMessage());
            System.exit(2);
            return;
        }
        System.exit(soak(options) ? 0 : 1);
    }

    private static boolean soak(SoakOptions options) throws InterruptedException, IOException {
        Files.createDirectories(options.folder());
        Environment on =
                Environment.detect(ManagementFactory.getRuntimeMXBean().getInputArguments());
        Results results = new Results(options.folder(), Results.facts(on));
        long seed = System.nanoTime();
        System.out.println("soak: seed " + seed);
        try (Recorder recorder = new Recorder(options.folder().resolve("soak.jfr"))) {
            Soak soak = new Soak(options);
            soak.run(results, new SplittableRandom(seed));
            Map<String, Long> events = recorder.events();
            Require.that(events.size() > 1, "Flight Recorder has events of Polder: " + events);
            System.out.println("soak: ok: " + soak.summary(events));
            return true;
        } catch (AssertionError wrong) {
            System.out.println("soak: FAILED: " + wrong.getMessage());
            wrong.printStackTrace(System.out);
            return false;
        }
    }
}

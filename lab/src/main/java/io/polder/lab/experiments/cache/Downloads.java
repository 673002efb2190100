package io.polder.lab.experiments.cache;

import io.polder.lab.harness.ExperimentException;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * The contenders that are not part of the lab: a folder with their jars, which the launcher
 * downloads and names by the system property {@value #PROPERTY}.
 *
 * @param jars all of them; none if nothing was downloaded
 */
record Downloads(List<Path> jars) {
    static final String PROPERTY = "polder.cache.contenders";

    /** In the folder; written last, so that a download that was cut short does not count. */
    private static final String COMPLETE = "stamp";

    /** Copies the list. */
    Downloads {
        jars = List.copyOf(jars);
    }

    /** What the launcher has named. */
    static Downloads here() {
        String folder = System.getProperty(PROPERTY, "");
        return folder.isEmpty() ? new Downloads(List.of()) : in(Path.of(folder));
    }

    /** What is in a folder; nothing if that is not there or not complete. */
    static Downloads in(Path folder) {
        if (!Files.exists(folder.resolve(COMPLETE))) {
            return new Downloads(List.of());
        }
        List<Path> jars = new ArrayList<>();
        for (Path place : List.of(folder, folder.resolve("lib"))) {
            try (Stream<Path> files = Files.list(place)) {
                files.filter(file -> file.toString().endsWith(".jar")).sorted().forEach(jars::add);
            } catch (IOException e) {
                throw new UncheckedIOException("cannot be listed: " + place, e);
            }
        }
        return new Downloads(jars);
    }

    /** The contenders that can be measured, in order. */
    List<Contender> contenders() {
        return Arrays.stream(Contender.values())
                .filter(contender -> contender.isBuiltIn() || !jars.isEmpty())
                .toList();
    }

    /** Arguments of a contender's JVM: its class path, where it is not that of the lab. */
    List<String> classPath(Contender contender) throws ExperimentException {
        if (contender.isBuiltIn()) {
            return List.of();
        }
        ExperimentException.unless(
                !jars.isEmpty(), "The cache " + contender.id() + " was not downloaded.");
        StringBuilder all = new StringBuilder(System.getProperty("java.class.path"));
        jars.forEach(jar -> all.append(File.pathSeparator).append(jar));
        return List.of("-cp", all.toString());
    }
}

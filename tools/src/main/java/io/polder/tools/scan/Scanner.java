package io.polder.tools.scan;

import io.polder.tools.terminal.Printable;
import io.polder.tools.terminal.Progress;

import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.zip.ZipException;

/**
 * Scans artifacts, one after the other, the class files of each on all cores.
 *
 * <p>Results come in the order of the class files, whatever thread was first. Used by one thread,
 * which alone shows progress.
 */
final class Scanner implements AutoCloseable {
    /** Class files that a thread takes at once: some milliseconds. Guessed. */
    private static final int BATCH = 64;

    /** The release that added nothing but a number to the first version. */
    private static final int MAJOR_VERSION_OF_RELEASE_0 = 44;

    private final Set<UseKind> kinds;
    private final Progress progress;
    private final ExecutorService threads =
            Executors.newFixedThreadPool(
                    Runtime.getRuntime().availableProcessors(),
                    Thread.ofPlatform().name("polder-scan-", 0).daemon().factory());

    /** Uses in some class files, and one problem for each of them that was left out. */
    private record Found(List<Use> uses, List<Problem> problems) {}

    Scanner(Set<UseKind> kinds, Progress progress) {
        this.kinds = Set.copyOf(kinds);
        this.progress = progress;
    }

    /**
     * Scans a source.
     *
     * @param path what stands for it on the command line
     */
    PathResult scan(String path, Source source, Span span) throws InterruptedException {
        String step = Printable.of(path);
        progress.show(step, span.from());
        List<ArtifactResult> artifacts = new ArrayList<>();
        source.visit((artifact, part) -> artifacts.add(scan(artifact, step, part)), span);
        return new PathResult(step, artifacts);
    }

    private ArtifactResult scan(Artifact artifact, String step, Span span)
            throws InterruptedException {
        List<Entry> entries = artifact.entries();
        List<Future<Found>> batches = new ArrayList<>();
        for (int from = 0; from < entries.size(); from += BATCH) {
            List<Entry> batch = entries.subList(from, Math.min(from + BATCH, entries.size()));
            batches.add(threads.submit(() -> scan(batch)));
        }
        List<Use> uses = new ArrayList<>();
        List<Problem> problems = new ArrayList<>(artifact.problems());
        int scanned = entries.size();
        for (int i = 0; i < batches.size(); i++) {
            Found found = result(batches.get(i));
            scanned -= found.problems().size();
            uses.addAll(found.uses());
            problems.addAll(found.problems());
            progress.show(step, span.at((i + 1.0) / batches.size()));
        }
        return new ArtifactResult(artifact.name(), entries.size(), scanned, uses, problems);
    }

    private static Found result(Future<Found> batch) throws InterruptedException {
        try {
            return batch.get();
        } catch (ExecutionException e) {
            throw new IllegalStateException("a class file can always be scanned", e);
        }
    }

    private Found scan(List<Entry> batch) {
        Found found = new Found(new ArrayList<>(), new ArrayList<>());
        for (Entry entry : batch) {
            scan(entry, found);
        }
        return found;
    }

    private void scan(Entry entry, Found found) {
        try {
            byte[] file = entry.read();
            int major = ClassHeader.majorVersion(file);
            if (major > ClassFile.latestMajorVersion()) {
                found.problems().add(newer(entry, major));
            } else {
                found.uses().addAll(ClassScan.of(file, kinds));
            }
        } catch (ZipException e) {
            found.problems().add(problem(Problem.Kind.DAMAGED, entry, "its zip entry is", e));
        } catch (IOException e) {
            found.problems().add(problem(Problem.Kind.UNREADABLE, entry, "it cannot be read", e));
        } catch (RuntimeException e) {
            // Whatever the parser stumbles on.
            found.problems().add(problem(Problem.Kind.DAMAGED, entry, "it is no class file", e));
        } catch (StackOverflowError e) {
            String why = "it is no class file: its constants contain each other";
            found.problems().add(new Problem(Problem.Kind.DAMAGED, entry.name(), why));
        }
    }

    private static Problem newer(Entry entry, int major) {
        return new Problem(
                Problem.Kind.NEWER,
                entry.name(),
                "a class file is of Java "
                        + (ClassFile.latestMajorVersion() - MAJOR_VERSION_OF_RELEASE_0)
                        + " at the latest: java="
                        + (major - MAJOR_VERSION_OF_RELEASE_0));
    }

    private static Problem problem(Problem.Kind kind, Entry entry, String what, Exception e) {
        return new Problem(kind, entry.name(), what + ": " + e.getMessage());
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}

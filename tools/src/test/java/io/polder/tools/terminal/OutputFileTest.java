package io.polder.tools.terminal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.polder.tools.PolderProcess;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

@EnabledOnOs(OS.LINUX)
class OutputFileTest {
    @TempDir private Path folder;

    @Test
    void write_nothingThereOrAFile_isWhole() throws Exception {
        Path file = folder.resolve("a.txt");
        OutputFile.write(file, "one");
        assertThat(file).hasContent("one");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
        OutputFile.write(file, "two");
        assertThat(file).hasContent("two");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-r-----");
        assertThat(names()).containsExactly("a.txt");
    }

    /** Who looks at any moment, if only after a crash, finds the old one or the new one. */
    @Test
    void write_fileAgainAndAgain_isThereAllTheTime() throws Exception {
        Path file = Files.writeString(folder.resolve("a.txt"), "old");
        FutureTask<Boolean> writing = new FutureTask<>(() -> writeAgainAndAgain(file));
        Thread.ofPlatform().start(writing);
        long missed = 0;
        do {
            missed += Files.exists(file) ? 0 : 1;
        } while (!writing.isDone());
        assertThat(writing.get()).isTrue();
        assertThat(missed).isZero();
    }

    private static boolean writeAgainAndAgain(Path file) throws UnwrittenException {
        for (int i = 0; i < 2000; i++) {
            OutputFile.write(file, "new");
        }
        return true;
    }

    /** By the superuser, who may give a file to any user and group. */
    @Test
    void write_fileOfAnotherUserAndGroup_staysReadableToThem() throws Exception {
        Path file = Files.writeString(folder.resolve("a.txt"), "old");
        assumeTrue((int) Files.getAttribute(folder, "unix:uid") == 0, "not the superuser");
        Files.setAttribute(file, "unix:uid", 12_346);
        Files.setAttribute(file, "unix:gid", 12_345);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
        OutputFile.write(file, "new");
        assertThat(Files.getAttribute(file, "unix:uid")).isEqualTo(12_346);
        assertThat(Files.getAttribute(file, "unix:gid")).isEqualTo(12_345);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-r-----");
    }

    /** Files that can be replaced, on a full disk: {@code LiveOutputTest}. */
    @Test
    void write_folder_isSaidAndStays() throws Exception {
        Path file = Files.createDirectory(folder.resolve("a.txt"));
        Files.createFile(file.resolve("full"));
        assertThatThrownBy(() -> OutputFile.write(file, "after"))
                .isInstanceOf(UnwrittenException.class)
                .hasMessageStartingWith(file + " could not be written: ");
        assertThat(names()).containsExactly("a.txt");
    }

    /** A process that was killed may have had this number, as each has in a container. */
    @Test
    void write_besideWhatAKilledProcessLeft_isWhole() throws Exception {
        Path file = folder.resolve("a.txt");
        Files.createFile(folder.resolve(".polder." + ProcessHandle.current().pid()));
        OutputFile.write(file, "new");
        assertThat(file).hasContent("new");
    }

    private boolean isChrootPossible() throws Exception {
        Path inside = Files.createDirectory(folder.resolve("tried"));
        String script = "mount --rbind / \"$1\" && chroot \"$1\" /bin/true";
        try {
            return new ProcessBuilder("unshare", "-rm", "sh", "-c", script, "sh", inside.toString())
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException noSuchProgram) {
            return false;
        }
    }

    /** There the system does not tell on which mount a file lies. */
    @Test
    void write_inAChroot_isWhole() throws Exception {
        assumeTrue(isChrootPossible());
        String script =
                """
                set -e
                mkdir "$1/w"
                echo old >"$1/w/a.txt"
                for each in /*; do
                    if [ -L "$each" ]; then cp -P "$each" "$1"
                    elif [ -d "$each" ]; then mkdir "$1$each"; mount --rbind "$each" "$1$each"
                    fi
                done
                exec chroot "$1" "$2" -cp "$3" "$4" /w/a.txt
                """;
        Process process =
                new ProcessBuilder(
                                "unshare",
                                "-rm",
                                "sh",
                                "-c",
                                script,
                                "sh",
                                folder.toString(),
                                PolderProcess.java().toString(),
                                System.getProperty("java.class.path"),
                                Writing.class.getName())
                        .inheritIO()
                        .start();
        try {
            assertThat(process.waitFor(300, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).isZero();
        } finally {
            process.destroyForcibly();
        }
        assertThat(folder.resolve("w/a.txt")).hasContent("new");
    }

    /** Writes a file. */
    static final class Writing {
        private Writing() {}

        public static void main(String[] arguments) throws Exception {
            OutputFile.write(Path.of(arguments[0]), "new");
        }
    }

    /** As in a script whose output goes to a file: others write there before and after. */
    @Test
    void write_standardOutput_isBetweenWhatOthersWrite() throws Exception {
        Path out = folder.resolve("out");
        Process process =
                new ProcessBuilder(
                                "sh",
                                "-c",
                                "echo before; \"$@\"; echo after",
                                "sh",
                                PolderProcess.java().toString(),
                                "-cp",
                                System.getProperty("java.class.path"),
                                Writing.class.getName(),
                                "/dev/stdout")
                        .redirectOutput(out.toFile())
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        try {
            assertThat(process.waitFor(300, TimeUnit.SECONDS)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        assertThat(out).hasContent("before\nnewafter\n");
    }

    /** As by Ctrl-C; if it was written by then, the file is there. */
    @Test
    void write_processThatEndsInTheMiddle_leavesNothingElse() throws Exception {
        Process process =
                new ProcessBuilder(
                                PolderProcess.java().toString(),
                                "-cp",
                                System.getProperty("java.class.path"),
                                Ending.class.getName(),
                                folder.resolve("a.txt").toString(),
                                folder.toString())
                        .inheritIO()
                        .start();
        try {
            assertThat(process.waitFor(300, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).isEqualTo(3);
        } finally {
            process.destroyForcibly();
        }
        assertThat(names()).isSubsetOf("a.txt");
    }

    /** Ends as soon as there is a file. */
    static final class Ending {
        private Ending() {}

        public static void main(String[] arguments) throws Exception {
            Path file = Path.of(arguments[0]);
            String text = "x".repeat(200 << 20);
            Thread.ofPlatform().daemon().start(() -> write(file, text));
            while (files(Path.of(arguments[1])).isEmpty()) {
                Thread.onSpinWait();
            }
            System.exit(3);
        }

        private static void write(Path file, String text) {
            try {
                OutputFile.write(file, text);
            } catch (UnwrittenException e) {
                // It may be gone by now.
            }
        }
    }

    @Test
    void write_nameAsLongAsOneCanBe_isWritten() throws Exception {
        Path file = folder.resolve("a".repeat(255));
        OutputFile.write(file, "new");
        assertThat(file).hasContent("new");
    }

    @Test
    void write_link_leadsThroughIt() throws Exception {
        Path target = Files.writeString(folder.resolve("target"), "longer than what comes");
        Path link = Files.createSymbolicLink(folder.resolve("link"), target);
        OutputFile.write(link, "new");
        assertThat(link).isSymbolicLink();
        assertThat(target).hasContent("new");
    }

    @Test
    void unwritten_fileThatCouldNotBeReplaced_isNamedAlone() {
        IOException refused =
                new FileSystemException("/d/.polder.7", "/d/a.txt", "Operation not permitted");
        assertThat(new UnwrittenException(Path.of("/d/a.txt"), refused))
                .hasMessage("/d/a.txt could not be written: Operation not permitted");
    }

    @Test
    void write_fullDevice_isSaid() {
        assertThatThrownBy(() -> OutputFile.write(Path.of("/dev/full"), "x"))
                .isInstanceOf(UnwrittenException.class)
                .hasMessageStartingWith("/dev/full could not be written: ");
    }

    @Test
    void isWritable_saysWhatCanBeSeenBefore() throws Exception {
        assertThat(OutputFile.isWritable(folder.resolve("new"))).isTrue();
        assertThat(OutputFile.isWritable(folder)).isFalse();
        assertThat(OutputFile.isWritable(folder.resolve("no/such"))).isFalse();
        assertThat(OutputFile.isWritable(Path.of("/dev/null"))).isTrue();
        Path file = Files.createFile(folder.resolve("file"));
        assertThat(OutputFile.isWritable(file.resolve("below"))).isFalse();
    }

    private List<String> names() throws IOException {
        return files(folder);
    }

    private static List<String> files(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).toList();
        }
    }
}

package io.polder.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

class OutputTest {
    @TempDir private Path folder;

    @Test
    void write_file_isReplacedAndNothingElseIsTouched() throws Exception {
        Path file = Files.writeString(folder.resolve("r.txt"), "old, and longer");
        Path part = Files.writeString(folder.resolve("r.txt.part"), "the user's");
        write(file, "new");
        assertThat(file).content().isEqualTo("new");
        assertThat(part).content().isEqualTo("the user's");
        assertThat(files()).containsExactlyInAnyOrder("r.txt", "r.txt.part");
    }

    @Test
    @EnabledOnOs({OS.LINUX, OS.MAC})
    void write_fileThatFewMayRead_isReadByNoMore() throws Exception {
        Path file = Files.writeString(folder.resolve("r.txt"), "old");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        write(file, "new");
        assertThat(file).content().isEqualTo("new");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        assertThat(files()).containsExactly("r.txt");
    }

    /** As of a user whose service is root's, in a container for one. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void write_byRootInPlaceOfAUsersFile_isThatUsers() throws Exception {
        Path file = Files.writeString(folder.resolve("r.txt"), "old");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        assumeTrue((int) Files.getAttribute(folder, "unix:uid") == 0, "not the superuser");
        Files.setAttribute(file, "unix:uid", 12_345);
        write(file, "new");
        assertThat(file).content().isEqualTo("new");
        assertThat(Files.getAttribute(file, "unix:uid")).isEqualTo(12_345);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
    }

    @Test
    @EnabledOnOs({OS.LINUX, OS.MAC})
    void write_fileThatFewMayRead_isReadByNoMoreMeanwhile() throws Exception {
        Path file = Files.writeString(folder.resolve("r.txt"), "old");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        Thread writer = Thread.ofPlatform().start(() -> write(file, "new".repeat(10_000_000)));
        Set<String> seen = new TreeSet<>();
        do {
            for (String name : files()) {
                Path found = folder.resolve(name);
                try {
                    var permissions = Files.getPosixFilePermissions(found);
                    seen.add(PosixFilePermissions.toString(permissions));
                } catch (NoSuchFileException _) {
                    // It has taken the place of the other one.
                }
            }
        } while (writer.isAlive());
        assertThat(seen).containsExactly("rw-------");
    }

    /** Who looks at any moment, if only after a crash, finds the old one or the new one. */
    @Test
    @EnabledOnOs({OS.LINUX, OS.MAC})
    void write_fileAgainAndAgain_isThereAllTheTime() throws Exception {
        Path file = Files.writeString(folder.resolve("r.txt"), "old");
        Thread writer = Thread.ofPlatform().start(() -> writeAgainAndAgain(file));
        long missed = 0;
        do {
            missed += Files.exists(file) ? 0 : 1;
        } while (writer.isAlive());
        assertThat(missed).isZero();
    }

    private static void writeAgainAndAgain(Path file) {
        for (int i = 0; i < 2000; i++) {
            write(file, "new");
        }
    }

    @Test
    @EnabledOnOs({OS.LINUX, OS.MAC})
    void write_nameAsLongAsOneCanBe_isWritten() throws Exception {
        Path file = folder.resolve("r".repeat(255));
        write(file, "new");
        assertThat(file).content().isEqualTo("new");
    }

    @Test
    void write_directoryInTheWay_leavesNothing() throws Exception {
        Path full = Files.createDirectory(folder.resolve("r.txt"));
        Files.createFile(full.resolve("inside"));
        assertThat(new Output(full.toString()).tryWrite("new"))
                .startsWith(full + " cannot be written: ")
                .endsWith(": Is a directory");
        assertThat(files()).containsExactly("r.txt");
        assertThat(new Output(full.toString()).isWritable()).isFalse();
    }

    @Test
    void write_link_goesWhereItLeads() throws Exception {
        Path target = Files.writeString(folder.resolve("target"), "old, and longer");
        Path link = Files.createSymbolicLink(folder.resolve("link"), target);
        assertThat(new Output(link.toString()).isWritable()).isTrue();
        write(link, "new");
        assertThat(link).isSymbolicLink();
        assertThat(target).content().isEqualTo("new");
        assertThat(files()).containsExactlyInAnyOrder("target", "link");
    }

    @Test
    @EnabledOnOs({OS.LINUX, OS.MAC})
    void write_pipe_isReadAtItsEnd() throws Exception {
        Path pipe = folder.resolve("pipe");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
        Path copy = folder.resolve("copy");
        Process reader =
                new ProcessBuilder("cat", pipe.toString()).redirectOutput(copy.toFile()).start();
        try {
            Output output = new Output(pipe.toString());
            assertThat(output.isWritable()).isTrue();
            assertThat(output.tryWrite("through", Long.MAX_VALUE)).isNull();
            assertThat(reader.waitFor(300, TimeUnit.SECONDS)).isTrue();
            assertThat(copy).content().isEqualTo("through");
            assertThat(Files.readAttributes(pipe, "isOther", LinkOption.NOFOLLOW_LINKS))
                    .containsEntry("isOther", true);
        } finally {
            reader.destroyForcibly();
        }
    }

    /** The end of a JVM waits here; in a program that goes on somebody may come later. */
    @Test
    @Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    @EnabledOnOs({OS.LINUX, OS.MAC})
    void write_pipeThatNobodyReads_goesOnAndIsReadLater() throws Exception {
        Path pipe = folder.resolve("pipe");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
        assertThat(new Output(pipe.toString()).tryWrite("late", 1))
                .isEqualTo(pipe + " cannot be written: java.io.IOException: nobody reads it");
        assertThat(pipe).content().isEqualTo("late");
    }

    @Test
    @EnabledOnOs({OS.LINUX, OS.MAC})
    void write_device_staysADevice() throws Exception {
        Path device = Path.of("/dev/null");
        assertThat(new Output(device.toString()).isWritable()).isTrue();
        // Not /dev/null itself: should this fail, that of the machine would be gone.
        Path link = folder.resolve("device");
        Files.createSymbolicLink(link, device);
        write(link, "nowhere");
        assertThat(link).isSymbolicLink();
    }

    /** As in a script whose output goes to a file: others write there before and after. */
    @Test
    @EnabledOnOs({OS.LINUX, OS.MAC})
    void write_standardOutput_isBetweenWhatOthersWrite() throws Exception {
        Path out = folder.resolve("out");
        Process process =
                new ProcessBuilder(
                                "sh",
                                "-c",
                                "echo before; \"$@\"; echo after",
                                "sh",
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-cp",
                                System.getProperty("java.class.path"),
                                Writing.class.getName())
                        .redirectOutput(out.toFile())
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        try {
            assertThat(process.waitFor(300, TimeUnit.SECONDS)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        assertThat(out).content().isEqualTo("before\nwritten\nafter\n");
    }

    /** Writes a line to its standard output. */
    static final class Writing {
        private Writing() {}

        public static void main(String[] arguments) {
            new Output("/dev/stdout").write("written\n");
        }
    }

    @Test
    void isWritable_fileInPlaceOfTheDirectory_no() throws Exception {
        Path file = Files.createFile(folder.resolve("notes.txt"));
        assertThat(new Output(file.resolve("r").toString()).isWritable()).isFalse();
        assertThat(new Output(folder.resolve("none/r").toString()).isWritable()).isFalse();
        assertThat(new Output(folder.resolve("r").toString()).isWritable()).isTrue();
        assertThat(Output.STDERR.isWritable()).isTrue();
    }

    private static void write(Path path, String text) {
        assertThat(new Output(path.toString()).tryWrite(text)).isNull();
    }

    private List<String> files() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).toList();
        }
    }
}

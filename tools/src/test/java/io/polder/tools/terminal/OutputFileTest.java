package io.polder.tools.terminal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
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

    /** What is in the way is a file that has the name of the one beside. */
    @Test
    void write_failing_leavesTheFileAsItWas() throws Exception {
        Path file = Files.writeString(folder.resolve("a.txt"), "before");
        Path beside = folder.resolve(".a.txt." + ProcessHandle.current().pid());
        Files.createDirectories(beside.resolve("full"));
        assertThatThrownBy(() -> OutputFile.write(file, "after"))
                .isInstanceOf(UnwrittenException.class)
                .hasMessageStartingWith(file + " could not be written: ");
        assertThat(file).hasContent("before");
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
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).toList();
        }
    }
}

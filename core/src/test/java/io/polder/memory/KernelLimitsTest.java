package io.polder.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;

/** Limits from made-up file systems, and from this one. */
class KernelLimitsTest {

    @TempDir Path root = Path.of("replaced by JUnit");

    @Test
    void read_noProc_knowsOnlyThePage() throws IOException {
        KernelLimits limits = KernelLimits.read(4096, root);
        assertThat(limits).isEqualTo(new KernelLimits(4096, OptionalLong.empty()));
    }

    @Test
    void read_mapCount_isTheNumberInTheFile() throws IOException {
        write("proc/sys/vm/max_map_count", "65530\n");
        assertThat(KernelLimits.read(4096, root).maxMapCount()).hasValue(65530);
        write("proc/sys/vm/max_map_count", "what?\n");
        assertThat(KernelLimits.read(4096, root).maxMapCount()).isEmpty();
    }

    @Test
    void limits_oddPage_isRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new KernelLimits(5000, OptionalLong.empty()))
                .withMessage("the OS page must be a power of two: osPageSize=5000");
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void read_thisMachine_hasAMapCount() {
        KernelLimits limits = Providers.choose().provider().limits();
        System.out.println("limits of this machine: " + limits);
        assertThat(limits.maxMapCount().orElseThrow()).isGreaterThan(1000);
    }

    private void write(String file, String text) throws IOException {
        Path path = root.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text);
    }
}

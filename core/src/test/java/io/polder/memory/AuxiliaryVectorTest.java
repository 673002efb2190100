package io.polder.memory;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;

/** The OS page from made-up vectors, and from this process's own. */
class AuxiliaryVectorTest {

    private static final long UNKNOWN = AuxiliaryVector.OS_PAGE_SIZE_MAX;
    private static final long PAGE_KEY = LinuxConstants.AT_PAGESZ;

    @TempDir Path folder = Path.of("replaced by JUnit");

    @Test
    void osPageSize_somewhereInTheVector_isFound() throws IOException {
        assertThat(osPageSize(33, -1, PAGE_KEY, 16384, 17, 100, 0, 0)).isEqualTo(16384);
        assertThat(osPageSize(PAGE_KEY, 4096, 0, 0)).isEqualTo(4096);
        // The page as a value is no key, and the other way round.
        assertThat(osPageSize(17, PAGE_KEY, 4096, 17, PAGE_KEY, 8192, 0, 0)).isEqualTo(8192);
    }

    @Test
    void osPageSize_notTold_isAMultipleOfEveryPage() throws IOException {
        assertThat(osPageSize(17, 100, 0, 0)).isEqualTo(UNKNOWN);
        assertThat(osPageSize()).isEqualTo(UNKNOWN);
        assertThat(osPageSize(17, 100, PAGE_KEY)).isEqualTo(UNKNOWN);
        assertThat(AuxiliaryVector.osPageSize(folder.resolve("absent").toFile()))
                .isEqualTo(UNKNOWN);
        for (long page : new long[] {4096, 16384, 65536}) {
            assertThat(UNKNOWN % page).isZero();
        }
    }

    @Test
    void osPageSize_nonsense_isNotBelieved() throws IOException {
        for (long value : new long[] {0, -4096, 5000, Long.MIN_VALUE, 1L << 40}) {
            assertThat(osPageSize(PAGE_KEY, value, 0, 0)).isEqualTo(UNKNOWN);
        }
    }

    @Test
    void osPageSize_wanted_isTakenIfWholePagesOfTheKernels() {
        assertThat(AuxiliaryVector.osPageSize(4096, 65536)).isEqualTo(65536);
        assertThat(AuxiliaryVector.osPageSize(16384, 65536)).isEqualTo(65536);
        for (long wanted : new long[] {0, -1, 4096, 5000, 8192, 1 << 20}) {
            assertThat(AuxiliaryVector.osPageSize(16384, wanted)).isEqualTo(16384);
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void osPageSize_thisProcess_isTheKernelsOwn() throws IOException {
        String line =
                Files.readAllLines(Path.of("/proc/self/smaps")).stream()
                        .filter(candidate -> candidate.startsWith("KernelPageSize:"))
                        .findFirst()
                        .orElseThrow();
        assertThat(line.replaceAll(" +", " "))
                .isEqualTo(
                        "KernelPageSize: "
                                + AuxiliaryVector.kernelPageSize(AuxiliaryVector.OWN).orElseThrow()
                                        / 1024
                                + " kB");
    }

    private long osPageSize(long... words) throws IOException {
        ByteBuffer vector =
                ByteBuffer.allocate(words.length * Long.BYTES).order(ByteOrder.nativeOrder());
        for (long word : words) {
            vector.putLong(word);
        }
        Path file = Files.write(folder.resolve("auxv"), vector.array());
        return AuxiliaryVector.osPageSize(file.toFile());
    }
}

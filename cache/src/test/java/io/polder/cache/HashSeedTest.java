package io.polder.cache;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;

/** The seed of a cache's hash, also where the system has no file of random numbers. */
class HashSeedTest {
    @TempDir private Path folder;

    @Test
    void seed_fileOfEightBytes_isWhatItHas() throws Exception {
        Path file = Files.write(folder.resolve("random"), new byte[] {0, 0, 0, 0, 0, 0, 1, 2});
        assertThat(Hash.seed(file.toString())).isEqualTo(0x102);
    }

    @Test
    void seed_fileThatIsMissingOrEnds_differsEachTime() throws Exception {
        Path ends = Files.write(folder.resolve("random"), new byte[7]);
        for (Path file : new Path[] {folder.resolve("missing"), ends}) {
            assertThat(Hash.seed(file.toString())).isNotEqualTo(Hash.seed(file.toString()));
        }
    }

    @Test
    void seed_fileOfTheSystem_differsEachTime() {
        assertThat(Hash.seed(Hash.RANDOM_FILE)).isNotEqualTo(Hash.seed(Hash.RANDOM_FILE));
    }
}

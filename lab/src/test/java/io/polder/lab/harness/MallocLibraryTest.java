package io.polder.lab.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.polder.memory.Zeroing;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Where malloc may come from, and where it comes from in this process. */
class MallocLibraryTest {
    @Test
    void keeping_namesAVariableOfEachLibrary() {
        for (MallocLibrary library : MallocLibrary.values()) {
            assertThat(library.keeping()).isNotEmpty();
        }
        assertThat(MallocLibrary.JEMALLOC.keeping()).containsKey("MALLOC_CONF");
    }

    @Test
    void installedIn_findsFilesInTheOrderOfDirectories(@TempDir Path directory) throws Exception {
        List<MallocLibrary> all = List.of(MallocLibrary.values());
        Path first = Files.createDirectory(directory.resolve("first"));
        Path second = Files.createDirectory(directory.resolve("second"));
        Files.createFile(second.resolve("libmimalloc.so.2"));
        Files.createFile(second.resolve("libjemalloc.so.2"));
        Files.createFile(first.resolve("libmimalloc.so"));
        Files.createFile(first.resolve("libtcmalloc_minimal.so.4"));

        assertThat(MallocLibrary.installedIn(List.of(first, second), all))
                .isEqualTo(
                        Map.of(
                                MallocLibrary.MIMALLOC,
                                first.resolve("libmimalloc.so"),
                                MallocLibrary.TCMALLOC,
                                first.resolve("libtcmalloc_minimal.so.4"),
                                MallocLibrary.JEMALLOC,
                                second.resolve("libjemalloc.so.2")));
        assertThat(MallocLibrary.installedIn(List.of(directory), all)).isEmpty();
        assertThat(
                        MallocLibrary.installedIn(
                                List.of(first, second), List.of(MallocLibrary.TCMALLOC)))
                .containsOnlyKeys(MallocLibrary.TCMALLOC);
    }

    @Test
    void loadedLibrary_ofMalloc_isAFileThatIsCheckedAgainst(@TempDir Path directory)
            throws Exception {
        Path library = LoadedLibrary.of(Malloc.address()).orElseThrow();
        Path other = Files.createFile(directory.resolve("libjemalloc.so.2"));

        assertThat(library).exists();
        LoadedLibrary.require(Malloc.address(), library);
        assertThatThrownBy(() -> LoadedLibrary.require(Malloc.address(), other))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage(
                        "malloc must come from the library that was preloaded: preloaded="
                                + other
                                + ", malloc="
                                + library);
        assertThat(LoadedLibrary.of(0)).isEmpty();
    }

    @Test
    void givingBack_byTheLibraryOfThisProcess_works() {
        GivingBack.by(MallocLibrary.GLIBC);

        assertThatThrownBy(() -> GivingBack.by(MallocLibrary.TCMALLOC))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("name=MallocExtension_ReleaseFreeMemory");
    }

    @Test
    void realloc_keepsTheContent() {
        long address = Malloc.malloc(Long.BYTES);
        Zeroing.ADDRESS_SPACE.set(Zeroing.WORD, address, 42L);

        long moved = Malloc.realloc(address, 1 << 20);

        assertThat(Zeroing.ADDRESS_SPACE.get(Zeroing.WORD, moved)).isEqualTo(42);
        Malloc.free(moved);
    }
}

package io.polder;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.heap.RelocatingHeap;

import org.junit.jupiter.api.Test;

import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.util.List;

/** The library works on the class path, too: sealed types are loaded in the unnamed module. */
class ClassPathTest {
    @Test
    void heap_onTheClassPath_works() {
        ChildJvm.Result result =
                ChildJvm.program(List.of(ChildJvm.NATIVE_ACCESS), ClassPathProbe.class);
        assertThat(result.exitCode()).describedAs("%s", result).isZero();
        assertThat(result.out()).isEqualTo("named: false\nsealed: true\nPIN: ok\nCLOSE: ok\n");
    }

    /** Nobody can make a heap but a pool, and nobody can call a constructor of its class. */
    @Test
    void relocatingHeap_permitsOneClassThatIsNotExported() {
        Class<?>[] permitted = RelocatingHeap.class.getPermittedSubclasses();
        assertThat(permitted).hasSize(1);
        List<String> exported =
                ModuleFinder.of(ChildJvm.coreClasses())
                        .find("io.polder")
                        .orElseThrow()
                        .descriptor()
                        .exports()
                        .stream()
                        .map(ModuleDescriptor.Exports::source)
                        .toList();
        assertThat(exported)
                .contains(RelocatingHeap.class.getPackageName())
                .doesNotContain(permitted[0].getPackageName());
    }
}

package io.polder.lab.pages;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.polder.memory.Providers;
import io.polder.memory.Zeroing;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

import java.lang.foreign.ValueLayout;

class AssemblyTest {
    @Test
    @EnabledOnOs(OS.LINUX)
    void assemble_inEachWay_bringsTogetherAndBack() {
        try (AssemblyWay remap = new AssemblyWay.Remap(Providers.choose().provider());
                AssemblyWay file = new AssemblyWay.UnmapAndMap()) {
            for (AssemblyWay way : new AssemblyWay[] {remap, file}) {
                for (int i = 0; i < AssemblyWay.GRANULES; i++) {
                    Zeroing.ADDRESS_SPACE.set(ValueLayout.JAVA_LONG, way.apart(i), i + 1);
                }
                way.assemble();
                for (int i = 0; i < AssemblyWay.GRANULES; i++) {
                    assertThat(read(way.together() + i * AssemblyWay.GRANULE)).isEqualTo(i + 1);
                }
                way.scatter();
                for (int i = 0; i < AssemblyWay.GRANULES; i++) {
                    assertThat(read(way.apart(i))).isEqualTo(i + 1);
                }
            }
        }
    }

    @Test
    void ratio_isOfUnmapMapAndTouchToRemapAlone() {
        Assemblies assemblies = new Assemblies();
        assemblies.accept("100 50 1000 9000");
        assemblies.accept(new Assemblies.Turn(200, 50, 1000, 5000).line());
        assemblies.accept("100 900 1000 4000");

        assertThat(assemblies.count()).isEqualTo(3);
        // 100, 30 and 50.
        assertThat(assemblies.ratio().median()).isEqualTo(50);
        assertThat(assemblies.of(Assemblies.Turn::remapNanos).median()).isEqualTo(100);
    }

    @Test
    void accept_somethingElse_isRefused() {
        Assemblies assemblies = new Assemblies();

        assertThatThrownBy(() -> assemblies.accept("100 50 1000"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("four numbers");
        assertThatThrownBy(() -> assemblies.accept("a b c d"))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private static long read(long address) {
        return Zeroing.ADDRESS_SPACE.get(ValueLayout.JAVA_LONG, address);
    }
}

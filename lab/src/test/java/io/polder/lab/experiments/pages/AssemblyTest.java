package io.polder.lab.experiments.pages;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.lab.harness.Findings;
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
        Findings assemblies = new Findings();
        for (double[] turn : new double[][] {{100, 10_000}, {200, 6000}, {100, 5000}}) {
            assemblies.sample(AssemblyJvm.REMAP, turn[0]);
            assemblies.sample(AssemblyJvm.MAP_AND_TOUCH, turn[1]);
        }

        // 100, 30 and 50.
        assertThat(AssemblyJvm.ratio(assemblies).median()).isEqualTo(50);
    }

    private static long read(long address) {
        return Zeroing.ADDRESS_SPACE.get(ValueLayout.JAVA_LONG, address);
    }
}

package io.polder.tools.scan;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.tools.scan.RandomMethods.Block;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;

/** What becomes of arenas in random methods, against a walk through their statements. */
@Tag("full")
class RandomMethodsTest {
    private static final int METHODS = 600;

    @TempDir private Path folder;

    @Test
    void fate_isThatOfTheStatements() {
        long seed = Long.getLong("polder.test.seed", System.nanoTime());
        RandomMethods methods = new RandomMethods(new Random(seed));
        List<Block> bodies = new ArrayList<>();
        StringBuilder source = new StringBuilder("abstract class Random {\n");
        source.append("abstract void call(); abstract boolean test();\n");
        for (int i = 0; i < RandomMethods.GIVES_MAX; i++) {
            source.append("abstract void give" + i + "(Object any);\n");
        }
        for (int i = 0; i < METHODS; i++) {
            bodies.add(methods.body());
            source.append(
                            "void m"
                                    + i
                                    + "() { boolean flag = false; Arena arena = Arena.ofConfined();"
                                    + " ")
                    .append(bodies.get(i).source())
                    .append("}\n");
        }
        List<Use> arenas =
                Compiled.uses(folder, "Random", source.append('}').toString()).stream()
                        .filter(use -> use.kind() == UseKind.CONFINED)
                        .toList();

        Map<Fate, Integer> counts = new EnumMap<>(Fate.class);
        assertThat(arenas).hasSize(METHODS);
        for (int i = 0; i < METHODS; i++) {
            Fate expected = bodies.get(i).fate();
            assertThat(Objects.requireNonNull(arenas.get(i).verdict()).fate())
                    .as("%s; again with -Dpolder.test.seed=%d", bodies.get(i).source(), seed)
                    .isEqualTo(expected);
            counts.merge(expected, 1, Integer::sum);
        }
        assertThat(counts)
                .as("seed %d", seed)
                .containsOnlyKeys(Fate.CLOSED, Fate.SOMETIMES, Fate.ESCAPES, Fate.UNCLOSED)
                .allSatisfy((_, count) -> assertThat(count).isGreaterThan(METHODS / 30));
    }
}

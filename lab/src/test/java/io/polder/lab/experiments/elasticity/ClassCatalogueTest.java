package io.polder.lab.experiments.elasticity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

class ClassCatalogueTest {
    @Tag("full")
    @Test
    void draw_sameSeed_sameClasses() throws Exception {
        ClassCatalogue one = ClassCatalogue.draw(50, 7);
        ClassCatalogue same = ClassCatalogue.draw(50, 7);
        ClassCatalogue other = ClassCatalogue.draw(50, 8);

        assertThat(loaded(one)).isEqualTo(loaded(same)).isNotEqualTo(loaded(other));
        assertThat(one.size()).isEqualTo(50);
        assertThat(one.meanBlocks()).isGreaterThan(5);
        assertThat(one.meanBytes()).isGreaterThan(1000);
    }

    @Test
    void write_andRead_isTheSame(@TempDir Path directory) throws Exception {
        ClassCatalogue catalogue = ClassCatalogue.draw(50, 7);
        Path file = directory.resolve("classes");

        catalogue.write(file);

        assertThat(loaded(ClassCatalogue.read(file, 7))).isEqualTo(loaded(catalogue));
        assertThat(loaded(ClassCatalogue.read(file, 9))).isNotEqualTo(loaded(catalogue));
    }

    @Test
    void blocks_ofManyLoaders_areAllClasses() {
        int[][] blocks = new int[10][];
        for (int i = 0; i < blocks.length; i++) {
            blocks[i] = new int[] {8 * (i + 1)};
        }
        ClassCatalogue catalogue = new ClassCatalogue(blocks, 3);
        int[] times = new int[blocks.length];

        for (int loader = 0; loader < 100; loader++) {
            for (int position = 0; position < 100; position++) {
                times[catalogue.blocks(loader, position)[0] / 8 - 1]++;
            }
        }

        assertThat(Arrays.stream(times)).allMatch(count -> count > 800 && count < 1200);
    }

    @Test
    void image_drawsByTheGeneratorAlone() throws Exception {
        JdkImage image = JdkImage.open();

        assertThat(image.draw(20, new SplittableRandom(1)))
                .isEqualTo(JdkImage.open().draw(20, new SplittableRandom(1)))
                .isNotEqualTo(image.draw(20, new SplittableRandom(2)));
        assertThat(image.size()).isGreaterThan(1000);
    }

    @Test
    void image_unknownClass_isRefused() throws Exception {
        JdkImage image = JdkImage.open();

        assertThatThrownBy(() -> image.named("java/lang/Strinq"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("no such class in the JDK's image: name=java/lang/Strinq");
    }

    private static List<int[]> blocks(ClassCatalogue catalogue) {
        List<int[]> blocks = new ArrayList<>();
        for (int loader = 0; loader < 20; loader++) {
            for (int position = 0; position < 3; position++) {
                blocks.add(catalogue.blocks(loader, position));
            }
        }
        return blocks;
    }

    private static String loaded(ClassCatalogue catalogue) {
        StringBuilder text = new StringBuilder();
        blocks(catalogue).forEach(sizes -> text.append(Arrays.toString(sizes)));
        return text.toString();
    }
}

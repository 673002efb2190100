package io.polder.lab.experiments.elasticity;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * The classes that loaders load: of each, the sizes of its blocks in bytes.
 *
 * <p>Which class a loader loads is drawn by numbers alone, so that all contenders load the same
 * ones, in any order and on any thread, and nobody keeps a list.
 *
 * <pre>{@code
 * file:  int classes, for each class: int blocks, for each block: int bytes
 * }</pre>
 *
 * <p>Immutable.
 */
final class ClassCatalogue {
    /** Enough that large and rare classes are among them. */
    static final int CLASSES = 1000;

    private final int[][] blocks;
    private final long seed;

    /**
     * Creates a catalogue.
     *
     * @param blocks for each class the sizes of its blocks; not copied
     * @param seed decides which loader loads what
     */
    ClassCatalogue(int[][] blocks, long seed) {
        this.blocks = blocks;
        this.seed = seed;
    }

    /**
     * Draws classes of the running JDK.
     *
     * @throws IOException if its image cannot be read
     */
    static ClassCatalogue draw(int classes, long seed) throws IOException {
        JdkImage image = JdkImage.open();
        ClassHierarchy hierarchy = new ClassHierarchy(image::named);
        List<String> names = image.draw(classes, new SplittableRandom(seed));
        int[][] blocks =
                names.stream()
                        .map(name -> ClassBlocks.of(image.named(name), hierarchy))
                        .toArray(int[][]::new);
        return new ClassCatalogue(blocks, seed);
    }

    /** Reads what {@link #write} wrote. */
    static ClassCatalogue read(Path file, long seed) throws IOException {
        try (DataInputStream in =
                new DataInputStream(new BufferedInputStream(Files.newInputStream(file)))) {
            int[][] blocks = new int[in.readInt()][];
            for (int i = 0; i < blocks.length; i++) {
                blocks[i] = new int[in.readInt()];
                for (int j = 0; j < blocks[i].length; j++) {
                    blocks[i][j] = in.readInt();
                }
            }
            return new ClassCatalogue(blocks, seed);
        }
    }

    /** Writes the sizes to a file, not the seed. */
    void write(Path file) throws IOException {
        try (DataOutputStream out =
                new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(file)))) {
            out.writeInt(blocks.length);
            for (int[] sizes : blocks) {
                out.writeInt(sizes.length);
                for (int size : sizes) {
                    out.writeInt(size);
                }
            }
        }
    }

    /**
     * Sizes of the blocks of the class that a loader loads at a position.
     *
     * @return not to be changed
     */
    int[] blocks(int loader, int position) {
        long drawn = mix(mix(seed + loader) + position);
        return blocks[(int) Long.remainderUnsigned(drawn, blocks.length)];
    }

    /** How many classes there are to draw from. */
    int size() {
        return blocks.length;
    }

    /** Mean number of blocks of a class. */
    double meanBlocks() {
        return Arrays.stream(blocks).mapToInt(sizes -> sizes.length).average().orElse(0);
    }

    /** Mean size of a class in bytes. */
    double meanBytes() {
        return Arrays.stream(blocks)
                .mapToInt(sizes -> Arrays.stream(sizes).sum())
                .average()
                .orElse(0);
    }

    /** Bits that have nothing to do with each other, from numbers that follow each other. */
    private static long mix(long number) {
        return new SplittableRandom(number).nextLong();
    }
}

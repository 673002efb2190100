package io.polder.arena.recycling;

/**
 * Free blocks in a tree, by size and then by address: the first that is large enough is the best
 * fit, and of equal ones the lowest.
 *
 * <pre>{@code
 *               block                 first link: what sorts before
 *              /     \                second link: what sorts after
 *          block     block
 * }</pre>
 *
 * <p>A treap: a block has a rank, which is a hash of its address, and none below it has a higher
 * one. So the shape depends on which blocks are in it and not on the order they came in, its depth
 * is a small multiple of the logarithm whatever that order, and nothing is stored for it.
 *
 * <p>Invariants: an in-order walk is sorted; {@code rank(block) >= rank(below)}; every block is
 * {@link BlockTable#FREE}.
 *
 * <p>Not thread-safe.
 */
final class FreeTree {
    /** The multiplier of a linear congruential generator with a full period (Steele, Vigna). */
    private static final long MULTIPLIER = 0xD134_2543_DE82_EF95L;

    private static final int NONE = BlockTable.NONE;

    private final BlockTable blocks;
    private int root = NONE;

    FreeTree(BlockTable blocks) {
        this.blocks = blocks;
    }

    int root() {
        return root;
    }

    /** Forgets all. */
    void clear() {
        root = NONE;
    }

    void add(int block) {
        blocks.setLinks(block, NONE, NONE);
        root = add(root, block);
    }

    private int add(int tree, int block) {
        if (tree == NONE) {
            return block;
        }
        if (rank(block) > rank(tree)) {
            split(tree, block);
            return block;
        }
        if (sortsBefore(block, tree)) {
            blocks.setFirst(tree, add(blocks.first(tree), block));
        } else {
            blocks.setSecond(tree, add(blocks.second(tree), block));
        }
        return tree;
    }

    /** Hangs what sorts before the block on its left, and the rest of the tree on its right. */
    private void split(int tree, int block) {
        int before = block; // where the next subtree that sorts before the block is to hang
        int after = block;
        int rest = tree;
        while (rest != NONE) {
            if (sortsBefore(block, rest)) {
                if (after == block) {
                    blocks.setSecond(after, rest);
                } else {
                    blocks.setFirst(after, rest);
                }
                after = rest;
                rest = blocks.first(rest);
            } else {
                if (before == block) {
                    blocks.setFirst(before, rest);
                } else {
                    blocks.setSecond(before, rest);
                }
                before = rest;
                rest = blocks.second(rest);
            }
        }
        if (before != block) {
            blocks.setSecond(before, NONE);
        }
        if (after != block) {
            blocks.setFirst(after, NONE);
        }
    }

    /** Removes a block that is in the tree. */
    void remove(int block) {
        int joined = join(blocks.first(block), blocks.second(block));
        int parent = NONE;
        int tree = root;
        while (tree != block) {
            parent = tree;
            tree = sortsBefore(block, tree) ? blocks.first(tree) : blocks.second(tree);
        }
        if (parent == NONE) {
            root = joined;
        } else if (blocks.first(parent) == block) {
            blocks.setFirst(parent, joined);
        } else {
            blocks.setSecond(parent, joined);
        }
    }

    private int join(int before, int after) {
        if (before == NONE || after == NONE) {
            return before | after;
        }
        if (rank(before) >= rank(after)) {
            blocks.setSecond(before, join(blocks.second(before), after));
            return before;
        }
        blocks.setFirst(after, join(before, blocks.first(after)));
        return after;
    }

    /** The smallest block of at least so many bytes; {@link BlockTable#NONE} if there is none. */
    int bestFit(long extent) {
        int best = NONE;
        int tree = root;
        while (tree != NONE) {
            if (blocks.size(tree) >= extent) {
                best = tree;
                tree = blocks.first(tree);
            } else {
                tree = blocks.second(tree);
            }
        }
        return best;
    }

    /** The smallest block that has so many bytes from an aligned address on. */
    int bestFit(long extent, long alignment) {
        return bestFit(root, extent, alignment);
    }

    private int bestFit(int tree, long extent, long alignment) {
        if (tree == NONE) {
            return NONE;
        }
        if (blocks.size(tree) >= extent) {
            int smaller = bestFit(blocks.first(tree), extent, alignment);
            if (smaller != NONE) {
                return smaller;
            }
            if (FreeBlocks.fits(blocks, tree, extent, alignment)) {
                return tree;
            }
        }
        return bestFit(blocks.second(tree), extent, alignment);
    }

    boolean sortsBefore(int a, int b) {
        long sizeA = blocks.size(a);
        long sizeB = blocks.size(b);
        return sizeA < sizeB || (sizeA == sizeB && blocks.address(a) < blocks.address(b));
    }

    /** The high bits, mixed from all bits of the address. */
    int rank(int block) {
        long address = blocks.address(block) / BlockTable.GRAIN_BYTES;
        long mixed = (address ^ (address >>> 20)) * MULTIPLIER;
        return (int) (((mixed ^ (mixed >>> 32)) * MULTIPLIER) >>> 32);
    }
}

package io.polder.tools.html;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Memory by its addresses, piece by piece, at one or several moments.
 *
 * @param caption what it shows
 * @param panels beside each other, in one scale; at least one
 */
public record MemoryMap(Caption caption, List<Panel> panels) implements Chart {
    /**
     * Copies the list.
     *
     * @throws IllegalArgumentException if there is no panel
     */
    public MemoryMap {
        panels = List.copyOf(panels);
        if (panels.isEmpty()) {
            throw new IllegalArgumentException("a map has a panel: caption=" + caption);
        }
    }

    /** What a piece of memory is. */
    public enum State {
        /** Somebody has it, and there is memory behind what was used of it. */
        USED("held"),
        /** Nobody has it, and there is memory behind it. */
        FREE("free"),
        /** Nobody has it, there is memory behind it, and it is not zero. */
        DIRTY("free, to be cleared"),
        /** Somebody works on it. */
        ISOLATED("isolated"),
        /** Nobody has it, and there is no memory behind it. */
        BARE("free, without memory");

        private final String label;

        State(String label) {
            this.label = label;
        }

        /** For people. */
        String label() {
            return label;
        }

        /** Name in style sheet and script. */
        String id() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * A piece that is one.
     *
     * @param bytes positive
     */
    public record Piece(State state, long bytes) {
        /**
         * Checks the size.
         *
         * @throws IllegalArgumentException if it is not positive
         */
        public Piece {
            if (bytes <= 0) {
                throw new IllegalArgumentException("a piece has bytes: bytes=" + bytes);
            }
        }
    }

    /**
     * Pieces that follow each other without a gap.
     *
     * @param start address of the first one
     * @param pieces in the order of their addresses
     */
    public record Span(long start, List<Piece> pieces) {
        /** Copies the list. */
        public Span {
            pieces = List.copyOf(pieces);
        }

        long bytes() {
            return pieces.stream().mapToLong(Piece::bytes).sum();
        }
    }

    /**
     * Memory at one moment.
     *
     * @param title which moment, or which part of memory
     * @param spans in the order of their addresses
     */
    public record Panel(String title, List<Span> spans) {
        /** Copies the list. */
        public Panel {
            spans = List.copyOf(spans);
        }

        /** A panel of pieces without a gap, whose addresses are counted from zero. */
        public static Panel of(String title, List<Piece> pieces) {
            return new Panel(title, List.of(new Span(0, pieces)));
        }

        /** All pieces of a state. */
        List<Piece> pieces(State state) {
            List<Piece> found = new ArrayList<>();
            for (Span span : spans) {
                for (Piece piece : span.pieces()) {
                    if (piece.state() == state) {
                        found.add(piece);
                    }
                }
            }
            return found;
        }

        long bytes(State state) {
            return pieces(state).stream().mapToLong(Piece::bytes).sum();
        }

        /** What is how large, in words: "12 pieces held, 3.00 MiB". */
        String summary(State state) {
            int count = pieces(state).size();
            return String.format(
                    Locale.ROOT,
                    "%s in %d piece%s",
                    Unit.BYTES.format((double) bytes(state)),
                    count,
                    count == 1 ? "" : "s");
        }
    }
}

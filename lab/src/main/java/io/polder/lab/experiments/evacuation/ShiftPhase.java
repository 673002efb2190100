package io.polder.lab.experiments.evacuation;

import io.polder.lab.report.Format;

/** A phase of the size-shift workload: sizes change suddenly, then nearly all is deleted. */
enum ShiftPhase {
    /** Hundreds of bytes. */
    A(100, 500, 3),
    /** Thousands. */
    B(1 << 10, 5 << 10, 3),
    /** Tens of thousands. */
    C(20 << 10, 60 << 10, 3),
    /** A hundred or less: what stands in front of a value weighs most here. */
    D(50, 150, 1.4),
    /** 95 of 100 living values are deleted, drawn at random. */
    DELETED95(0, 0, 0),
    /** So are the others. */
    DELETED_ALL(0, 0, 0);

    private static final double DELETED_SHARE = 0.95;

    private final int bytesMin;
    private final int bytesMax;
    private final double budgets;

    ShiftPhase(int bytesMin, int bytesMax, double budgets) {
        this.bytesMin = bytesMin;
        this.bytesMax = bytesMax;
        this.budgets = budgets;
    }

    /** In metrics and files. */
    String id() {
        return Format.id(this);
    }

    /** Whether values are written. */
    boolean isWriting() {
        return budgets > 0;
    }

    /** The smallest value. */
    int bytesMin() {
        return bytesMin;
    }

    /** The largest one. */
    int bytesMax() {
        return bytesMax;
    }

    /** How much is written. */
    long volume(long budgetBytes) {
        return (long) (budgets * budgetBytes);
    }

    /** How many of the living values are left. */
    int leaves(int living) {
        return switch (this) {
            case DELETED95 -> (int) Math.round((1 - DELETED_SHARE) * living);
            case DELETED_ALL -> 0;
            case A, B, C, D -> living;
        };
    }

    /** On a chart. */
    String shortTitle() {
        return switch (this) {
            case A, B, C, D -> name();
            case DELETED95 -> "5 %";
            case DELETED_ALL -> "none";
        };
    }

    /** In the table. */
    String title() {
        return switch (this) {
            case A -> "A: 100 - 500 B";
            case B -> "B: 1 - 5 KiB";
            case C -> "C: 20 - 60 KiB";
            case D -> "D: 50 - 150 B";
            case DELETED95 -> "95 % deleted";
            case DELETED_ALL -> "all deleted";
        };
    }
}

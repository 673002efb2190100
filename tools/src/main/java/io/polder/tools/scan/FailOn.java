package io.polder.tools.scan;

import picocli.CommandLine;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/** What can make a scan fail, for those who let a build depend on it. */
enum FailOn {
    /** An arena is closed on some paths only. */
    SOMETIMES,
    /** An arena is handed to others. */
    ESCAPES,
    /** An arena is neither closed nor handed to others. */
    UNCLOSED,
    /** What becomes of an arena is not known. */
    UNDECIDED,
    /** A segment gets another size or lifetime. */
    REINTERPRET,
    /** {@code Unsafe} is used for memory, by address or by object and offset. */
    UNSAFE,
    /** A class file or a jar was left out. */
    UNREADABLE;

    /** How often it is there. */
    long count(ArtifactResult result) {
        return switch (this) {
            case SOMETIMES -> result.count(Fate.SOMETIMES);
            case ESCAPES -> result.count(Fate.ESCAPES);
            case UNCLOSED -> result.count(Fate.UNCLOSED);
            case UNDECIDED -> result.count(Fate.UNDECIDED);
            case REINTERPRET -> result.count(UseKind.REINTERPRET);
            case UNSAFE -> result.count(UseKind.UNSAFE) + result.count(UseKind.UNSAFE_OBJECT);
            case UNREADABLE -> result.problems().size();
        };
    }

    /** The kinds of uses among which it is looked for; none if it is no use. */
    Set<UseKind> kinds() {
        return switch (this) {
            case SOMETIMES, ESCAPES, UNCLOSED, UNDECIDED -> UseKind.CLOSEABLE;
            case REINTERPRET -> EnumSet.of(UseKind.REINTERPRET);
            case UNSAFE -> EnumSet.of(UseKind.UNSAFE, UseKind.UNSAFE_OBJECT);
            case UNREADABLE -> EnumSet.noneOf(UseKind.class);
        };
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Reads the names on the command line. */
    static final class Converter implements CommandLine.ITypeConverter<FailOn> {
        @Override
        public FailOn convert(String label) {
            return Labels.find(label, values());
        }
    }
}

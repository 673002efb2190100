package io.polder.tools.terminal;

import picocli.CommandLine;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

import java.util.function.Function;

/** Reads the numbers of a command line, and says what they must be. */
public final class Numbers {
    private Numbers() {}

    /** Has a command and its subcommands read numbers so; returns the command. */
    public static CommandLine readBy(CommandLine command) {
        return command.registerConverter(int.class, whole(Integer::valueOf))
                .registerConverter(Integer.class, whole(Integer::valueOf))
                .registerConverter(long.class, whole(Long::valueOf))
                .registerConverter(Long.class, whole(Long::valueOf))
                .registerConverter(double.class, reading(Double::valueOf, "must be a number: "));
    }

    private static <T> ITypeConverter<T> whole(Function<String, T> read) {
        return reading(read, "must be a whole number: ");
    }

    private static <T> ITypeConverter<T> reading(Function<String, T> read, String rule) {
        return word -> {
            try {
                return read.apply(word);
            } catch (NumberFormatException e) {
                boolean tooLarge = word.matches("[+-]?[0-9]+");
                throw new TypeConversionException((tooLarge ? "too large: " : rule) + word);
            }
        };
    }
}

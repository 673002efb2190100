package io.polder.tools.scan;

import io.polder.tools.terminal.Printable;

import picocli.CommandLine.TypeConversionException;

import java.util.Arrays;
import java.util.List;

/** Constants by the names that users see, which are what {@code toString} says. */
final class Labels {
    private Labels() {}

    /**
     * The constant with a name, whatever the case of its letters.
     *
     * @throws TypeConversionException if there is none; the message names those there are
     */
    static <E extends Enum<E>> E find(String label, E[] constants) {
        List<E> all = Arrays.asList(constants);
        return all.stream()
                .filter(constant -> constant.toString().equalsIgnoreCase(label.strip()))
                .findFirst()
                .orElseThrow(
                        () ->
                                new TypeConversionException(
                                        "there is no '"
                                                + Printable.of(label)
                                                + "', but there are: "
                                                + String.join(
                                                        ", ",
                                                        all.stream().map(E::toString).toList())));
    }
}

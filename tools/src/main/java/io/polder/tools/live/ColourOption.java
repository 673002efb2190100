package io.polder.tools.live;

import picocli.CommandLine.Option;

/** {@code --color}: whether a command uses colours. */
final class ColourOption {
    @Option(
            names = "--color",
            paramLabel = "WHEN",
            defaultValue = "auto",
            description = "auto, always or never (default: ${DEFAULT-VALUE}).")
    private Colours colours = Colours.AUTO;

    boolean use() {
        return colours.use();
    }
}

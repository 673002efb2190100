package io.polder.lab.experiments.evacuation;

/** What the evacuation experiment prints. */
final class EvacuationText {
    private EvacuationText() {}

    /** The whole text. */
    static String of(Results results, Scale scale) {
        return String.join(
                "\n",
                GateText.of(results.gates()),
                GateText.ofReads(results.reads()),
                TrafficText.of(results),
                TrafficText.ofExhaustion(results),
                ShiftText.of(results, scale.shift()));
    }
}

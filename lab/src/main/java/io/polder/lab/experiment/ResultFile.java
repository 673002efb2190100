package io.polder.lab.experiment;

import io.polder.tools.result.Environment;
import io.polder.tools.result.Json;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The JSON of a run, for machines. Its keys are stable:
 *
 * <pre>{@code
 * {"lab": NAME, "seed": N, "environment": {...},
 *  "metrics": [{"name": ..., "value": ..., "unit": ..., "better": "higher|lower"}],
 *  "goals": [{"what": ..., "target": ..., "measured": ..., "reached": true|false}]}
 * }</pre>
 */
public final class ResultFile {
    private ResultFile() {}

    /**
     * Writes the JSON of one run.
     *
     * @param lab name on the command line
     */
    public static String json(
            String lab,
            long seed,
            Environment environment,
            List<Metric> metrics,
            List<Goal> goals) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("lab", lab);
        json.put("seed", seed);
        json.put("environment", environment.toJson());
        json.put("metrics", metrics.stream().map(Metric::toJson).toList());
        json.put("goals", goals.stream().map(Goal::toJson).toList());
        return Json.write(json);
    }
}

package io.polder.lab;

import io.polder.lab.experiments.blocks.BlocksExperiment;
import io.polder.lab.experiments.cache.CacheExperiment;
import io.polder.lab.experiments.confined.ConfinedExperiment;
import io.polder.lab.experiments.elasticity.ElasticityExperiment;
import io.polder.lab.experiments.evacuation.EvacuationExperiment;
import io.polder.lab.experiments.fragmentation.FragmentationExperiment;
import io.polder.lab.experiments.netty.NettyExperiment;
import io.polder.lab.experiments.pages.PagesExperiment;
import io.polder.lab.experiments.replay.ReplayExperiment;
import io.polder.lab.harness.Experiment;

import java.util.ArrayList;
import java.util.List;

/**
 * The experiments there are, by name.
 *
 * @param experiments in the order in which {@value #ALL_NAME} runs them
 */
record Experiments(List<Experiment> experiments) {
    /** Stands on the command line for all that need no files. */
    static final String ALL_NAME = "all";

    /** Everything the lab can measure. */
    static final Experiments ALL =
            new Experiments(
                    List.of(
                            new ConfinedExperiment(),
                            new FragmentationExperiment(),
                            new ElasticityExperiment(),
                            new PagesExperiment(),
                            new EvacuationExperiment(),
                            new NettyExperiment(),
                            new BlocksExperiment(),
                            new CacheExperiment(),
                            new ReplayExperiment()));

    /** Copies the list. */
    Experiments {
        experiments = List.copyOf(experiments);
    }

    /** Names the command line accepts. */
    List<String> names() {
        List<String> names = new ArrayList<>();
        experiments.forEach(experiment -> names.add(experiment.name()));
        names.add(ALL_NAME);
        return names;
    }

    /** The experiments that a name stands for; none if it is unknown. */
    List<Experiment> named(String name) {
        return name.equals(ALL_NAME)
                ? experiments.stream()
                        .filter(experiment -> !experiment.about().takesFiles())
                        .toList()
                : experiments.stream()
                        .filter(experiment -> experiment.name().equals(name))
                        .toList();
    }
}

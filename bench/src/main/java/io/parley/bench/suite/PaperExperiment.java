package io.parley.bench.suite;

/**
 * An experiment of a paper.
 *
 * @param place the tables or figures in which the paper shows it, such as "figure 6"
 */
public record PaperExperiment(Paper paper, String place) {

    @Override
    public String toString() {
        return "\"" + paper.title() + "\", " + place;
    }
}

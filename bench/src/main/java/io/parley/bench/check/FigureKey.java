package io.parley.bench.check;

import io.parley.bench.result.Experiment;
import io.parley.bench.result.Figure;
import io.parley.bench.result.Results;
import java.util.Optional;

/** The key of a figure within the results of a run. */
record FigureKey(String experiment, String contender, String form, int bytes) {

    Optional<Figure> in(Results results) {
        return results.experiments().stream()
                .filter(candidate -> candidate.id().equals(experiment))
                .map(Experiment::figures)
                .flatMap(figures -> figures.stream().filter(this::isAt))
                .findFirst();
    }

    private boolean isAt(Figure figure) {
        return figure.contender().equals(contender) && figure.form().equals(form) && figure.bytes() == bytes;
    }

    @Override
    public String toString() {
        String formSuffix = form.isEmpty() ? "" : ", " + form;
        return experiment + ", " + contender + formSuffix + (bytes == 0 ? "" : ", %,d bytes".formatted(bytes));
    }
}

package io.parley.examples.publish;

import io.parley.advertisement.Advertisement;
import io.parley.advertisement.PipeAdvertisement;
import io.parley.advertisement.PipeType;
import io.parley.common.AsyncCloseable;
import io.parley.discovery.Publication;
import io.parley.examples.console.Console;
import io.parley.examples.console.FailureFormatter;
import io.parley.examples.console.JsonObject;
import io.parley.examples.console.TextFormatter;
import io.parley.examples.search.SearchResult;
import io.parley.group.PeerGroup;
import io.parley.pipes.InputPipe;
import io.parley.pipes.PipeMessage;
import io.parley.pipes.Pipes;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;

/** Publishes in a group, tells what becomes of it, and withdraws everything when it is closed. */
public final class AdvertisementPublisher implements AutoCloseable {

    private final PeerGroup group;
    private final Console console;
    private final Deque<AsyncCloseable> open = new ConcurrentLinkedDeque<>();

    public AdvertisementPublisher(PeerGroup group, Console console) {
        this.group = group;
        this.console = console;
    }

    /** Publishes the document in a file. */
    public void document(Path file) throws IOException {
        publish(AdvertisementFileReader.read(file));
    }

    /** Opens a pipe of that name, publishes it, and prints what comes out of it. */
    public void pipe(String name) {
        Pipes pipes = Pipes.of(group);
        InputPipe pipe = pipes.listen(pipes.pipeId(name), message -> show(name, message));
        open.push(pipe);
        publish(PipeAdvertisement.of(pipe.id(), PipeType.UNICAST, name));
    }

    private void publish(Advertisement advertisement) {
        Publication publication = group.discovery().publish(advertisement);
        open.push(publication);
        SearchResult entry = SearchResult.of(publication.signedAdvertisement());
        tell("published", entry, "Published: " + entry.kind() + " " + entry.name() + "  " + entry.id());
        publication.whenIndexed().whenComplete((done, failure) -> {
            if (failure == null) {
                tell("indexed", entry, "A rendezvous has it: " + entry.kind() + " " + entry.name());
            } else if (!publication.isClosing()) {
                console.notice("No rendezvous takes " + entry.kind() + " " + entry.name() + ": "
                        + FailureFormatter.sentence(failure));
            }
        });
    }

    private void tell(String event, SearchResult entry, String line) {
        console.result(
                JsonObject.object()
                        .add("event", event)
                        .add("kind", entry.kind())
                        .add("name", entry.name())
                        .add("id", entry.id()),
                line);
    }

    private void show(String pipe, PipeMessage message) {
        String text = TextFormatter.oneLine(message.message().text("text").orElse("(no text)"));
        console.result(
                JsonObject.object()
                        .add("event", "message")
                        .add("pipe", pipe)
                        .add("from", message.from().text())
                        .add("text", text),
                TextFormatter.oneLine(pipe) + " <- " + message.from().shortText() + ": " + text);
    }

    @Override
    public void close() {
        open.forEach(AsyncCloseable::close);
    }
}

package io.parley.examples.publish;

import io.parley.advertisement.Advertisement;
import io.parley.advertisement.PipeAdvertisement;
import io.parley.advertisement.PipeType;
import io.parley.common.AsyncCloseable;
import io.parley.discovery.Publication;
import io.parley.examples.console.CommandFailedException;
import io.parley.examples.console.Console;
import io.parley.examples.console.FailureFormatter;
import io.parley.examples.console.JsonObject;
import io.parley.examples.console.TextFormatter;
import io.parley.examples.search.PeerNames;
import io.parley.examples.search.SearchResult;
import io.parley.group.PeerGroup;
import io.parley.id.PeerId;
import io.parley.message.Message;
import io.parley.pipes.InputPipe;
import io.parley.pipes.PipeMessage;
import io.parley.pipes.Pipes;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;

/** Publishes documents and pipes in a group and prints their state. Withdraws all of them when it is closed. */
public final class AdvertisementPublisher implements AutoCloseable {

    /** The element with the text of a line. */
    public static final String TEXT = "text";

    /** The element with the name of the peer that has sent a line. */
    public static final String NAME = "name";

    private final PeerGroup group;
    private final Console console;
    private final Deque<AsyncCloseable> open = new ConcurrentLinkedDeque<>();

    public AdvertisementPublisher(PeerGroup group, Console console) {
        this.group = group;
        this.console = console;
    }

    /**
     * Publishes the XML document in a file.
     *
     * @throws CommandFailedException if the document is invalid, or cannot be published in this group or by this peer
     */
    public void document(Path file) throws IOException {
        document(AdvertisementFile.read(file, group.id()));
    }

    /**
     * Publishes an advertisement that was read from a file.
     *
     * @throws CommandFailedException if it cannot be published in this group or by this peer
     */
    public void document(AdvertisementFile document) {
        try {
            publish(document.advertisement());
        } catch (IllegalArgumentException e) {
            throw new CommandFailedException(
                    "Cannot publish " + document.file() + ": " + e.getMessage() + ". Correct the document.", e);
        }
    }

    /** Opens and publishes a pipe with that name, and prints the lines that arrive on it. */
    public void pipe(String name) {
        Pipes pipes = Pipes.of(group);
        InputPipe pipe = pipes.listen(pipes.pipeId(name), message -> printLine(name, message));
        open.push(pipe);
        publish(PipeAdvertisement.of(pipe.id(), PipeType.UNICAST, name));
    }

    private void publish(Advertisement advertisement) {
        Publication publication = group.discovery().publish(advertisement);
        open.push(publication);
        SearchResult entry = SearchResult.of(publication.signedAdvertisement(), new PeerNames(group), Instant.now());
        printEvent("published", entry, "Published: " + entry.kind() + " " + entry.name() + "  " + entry.id());
        publication.whenIndexed().whenComplete((done, failure) -> {
            if (failure == null) {
                printEvent("indexed", entry, "Indexed by a rendezvous: " + entry.kind() + " " + entry.name());
            } else if (!publication.isClosing()) {
                console.notice("No rendezvous has indexed " + entry.kind() + " " + entry.name() + ": "
                        + FailureFormatter.sentence(failure));
            }
        });
    }

    private void printEvent(String event, SearchResult entry, String line) {
        console.result(
                JsonObject.object()
                        .add("event", event)
                        .add("kind", entry.kind())
                        .add("name", entry.name())
                        .add("id", entry.id()),
                line);
    }

    private void printLine(String pipe, PipeMessage message) {
        String text = text(message.message());
        console.result(
                JsonObject.object()
                        .add("event", "message")
                        .add("pipe", pipe)
                        .add("from", message.from().text())
                        .add("text", text),
                TextFormatter.oneLine(pipe) + " <- " + sender(message.from(), message.message()) + ": " + text);
    }

    /** Returns the text of a line. */
    public static String text(Message message) {
        return TextFormatter.oneLine(message.text(TEXT).orElse("(no text)"));
    }

    /** Returns the name that the sender of a line has given itself, with its authenticated short id. */
    public static String sender(PeerId from, Message message) {
        return PeerNames.withId(message.text(NAME).orElse(""), from);
    }

    @Override
    public void close() {
        open.forEach(AsyncCloseable::close);
    }
}

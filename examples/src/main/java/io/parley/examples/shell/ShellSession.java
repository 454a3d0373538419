package io.parley.examples.shell;

import io.parley.Peer;
import io.parley.discovery.DiscoveryQuery;
import io.parley.examples.console.Console;
import io.parley.examples.console.TextFormatter;
import io.parley.examples.search.AdvertisementSearch;
import io.parley.examples.search.SearchResult;
import io.parley.group.PeerGroup;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import org.jspecify.annotations.Nullable;

/** The state of a shell: joined groups, known names and the current line sender. Not thread-safe, except {@link #names}. */
final class ShellSession implements AutoCloseable {

    private static final Duration SEARCH_TIMEOUT = Duration.ofSeconds(2);
    private static final int MAX_RESULTS = 1000;
    private static final int MAX_NAMES = 10_000;

    private final Peer peer;
    private final boolean indexOnly;
    private final Console console;
    /** A stack: the net group at the bottom, the current group on top. */
    private final Deque<ShellGroup> groups = new ArrayDeque<>();

    private final Set<String> names = new ConcurrentSkipListSet<>();
    private @Nullable LineSender lineSender;

    /** @param indexOnly whether the rendezvous are the only source of a search */
    ShellSession(Peer peer, boolean indexOnly, Console console) {
        this.peer = peer;
        this.indexOnly = indexOnly;
        this.console = console;
        groups.push(new ShellGroup(peer.netGroup(), console));
    }

    Peer peer() {
        return peer;
    }

    Console console() {
        return console;
    }

    ShellGroup current() {
        return groups.getFirst();
    }

    /** Joins a group and makes it the current one. {@link #leave} returns to the previous group. */
    void join(String name) {
        PeerGroup group = peer.group(name).join();
        if (groups.stream().noneMatch(current -> current.group().id().equals(group.id()))) {
            groups.push(new ShellGroup(group, console));
            names.add(name);
        } else {
            groups.stream()
                    .filter(current -> current.group().id().equals(group.id()))
                    .findFirst()
                    .ifPresent(current -> {
                        groups.remove(current);
                        groups.push(current);
                    });
        }
    }

    /** Leaves the current group. Returns {@code false} for the net group, which cannot be left. */
    boolean leave() {
        ShellGroup current = current();
        if (current.group().id().equals(peer.netGroup().id())) {
            return false;
        }
        groups.pop();
        current.close();
        current.group().close();
        return true;
    }

    /** Searches a group, prints the results and returns their number. */
    int search(PeerGroup group, DiscoveryQuery query) throws InterruptedException {
        AdvertisementSearch search = new AdvertisementSearch(peer, group, query, MAX_RESULTS, this::print);
        return indexOnly ? search.searchIndex(SEARCH_TIMEOUT) : search.searchAll(SEARCH_TIMEOUT);
    }

    private void print(SearchResult entry) {
        if (!entry.name().isEmpty() && names.size() < MAX_NAMES) {
            names.add(entry.name());
        }
        console.result(entry.toJson(), entry.toString());
    }

    /** Returns the names that were found or typed before, for completion. */
    Set<String> names() {
        return names;
    }

    @Nullable
    LineSender lineSender() {
        return lineSender;
    }

    /** Sets the target of typed lines and closes the previous one; {@code null} ends the mode. */
    void setLineSender(@Nullable LineSender value) {
        LineSender before = lineSender;
        lineSender = value;
        if (before != null) {
            before.close();
        }
    }

    /** Returns the prompt, such as {@code weather>}. */
    String prompt() {
        LineSender target = lineSender;
        return target == null ? TextFormatter.oneLine(current().group().name()) + "> " : "to " + target.name() + "> ";
    }

    @Override
    public void close() {
        setLineSender(null);
        groups.forEach(ShellGroup::close);
    }
}

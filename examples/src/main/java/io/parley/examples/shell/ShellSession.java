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

/** Where a shell's user is, and what has been seen so far. Used by one thread, but for {@link #names}. */
final class ShellSession implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(2);
    private static final int ENOUGH = 1000;
    private static final int MAX_NAMES = 10_000;

    private final Peer peer;
    private final boolean onlyIndex;
    private final Console console;
    /** The net group at the bottom, and the present one on top. */
    private final Deque<ShellGroup> places = new ArrayDeque<>();

    private final Set<String> names = new ConcurrentSkipListSet<>();
    private @Nullable LineSender talk;

    /** @param onlyIndex whether a rendezvous is all there is to ask, which then knows everything */
    ShellSession(Peer peer, boolean onlyIndex, Console console) {
        this.peer = peer;
        this.onlyIndex = onlyIndex;
        this.console = console;
        places.push(new ShellGroup(peer.netGroup(), console));
    }

    Peer peer() {
        return peer;
    }

    Console console() {
        return console;
    }

    ShellGroup place() {
        return places.getFirst();
    }

    /** Goes to a group; where the user was before, {@link #leave} comes back to. */
    void join(String name) {
        PeerGroup group = peer.group(name).join();
        if (places.stream().noneMatch(place -> place.group().id().equals(group.id()))) {
            places.push(new ShellGroup(group, console));
            names.add(name);
        } else {
            places.stream()
                    .filter(place -> place.group().id().equals(group.id()))
                    .findFirst()
                    .ifPresent(place -> {
                        places.remove(place);
                        places.push(place);
                    });
        }
    }

    /** Leaves the present group; false in the one that every peer is in. */
    boolean leave() {
        ShellGroup place = place();
        if (place.group().id().equals(peer.netGroup().id())) {
            return false;
        }
        places.pop();
        place.close();
        place.group().close();
        return true;
    }

    /** Looks in a group, shows what is found, and says how much it was. */
    int find(PeerGroup group, DiscoveryQuery query) throws InterruptedException {
        AdvertisementSearch finding = new AdvertisementSearch(peer, group, query, ENOUGH, this::show);
        return onlyIndex ? finding.inTheIndex(PATIENCE) : finding.everywhere(PATIENCE);
    }

    private void show(SearchResult entry) {
        if (!entry.name().isEmpty() && names.size() < MAX_NAMES) {
            names.add(entry.name());
        }
        console.result(entry.toJson(), entry.toString());
    }

    /** What was seen or said before, for completion. */
    Set<String> names() {
        return names;
    }

    @Nullable
    LineSender talk() {
        return talk;
    }

    /** Talks to somebody from now on; null to nobody. */
    void talk(@Nullable LineSender value) {
        LineSender before = talk;
        talk = value;
        if (before != null) {
            before.close();
        }
    }

    /** Such as {@code weather>}. */
    String prompt() {
        LineSender partner = talk;
        return partner == null ? TextFormatter.oneLine(place().group().name()) + "> " : "to " + partner.name() + "> ";
    }

    @Override
    public void close() {
        talk(null);
        places.forEach(ShellGroup::close);
    }
}

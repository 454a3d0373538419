package io.parley.pipes.internal.topic;

import io.parley.advertisement.PipeAdvertisement;
import io.parley.advertisement.PipeType;
import io.parley.endpoint.ServiceAddress;
import io.parley.id.GroupId;
import io.parley.id.PipeId;
import io.parley.pipes.internal.PipeSecurity;

/**
 * The names of a topic on the wire, and the security of all its channels.
 *
 * @param name the name of the topic
 * @param pipe the id of the propagate pipe, whose input ends are the subscribers
 * @param publisherPipe the id under which publishers are found
 */
public record TopicNames(String name, PipeId pipe, PipeId publisherPipe, PipeSecurity security) {

    /** Returns the names of a topic of a group. They differ from those of the unicast pipe with the same name. */
    public static TopicNames of(GroupId group, String name, PipeSecurity security) {
        return new TopicNames(
                name, PipeId.ofName(group, "topic/" + name), PipeId.ofName(group, "topic-publisher/" + name), security);
    }

    /** Returns the service of a subscriber that receives published messages. */
    ServiceAddress data() {
        return new ServiceAddress("topic", pipe.text());
    }

    /** Returns the service of a publisher that receives {@link TopicMessage}s. */
    ServiceAddress publisher() {
        return new ServiceAddress("topic.publisher", pipe.text());
    }

    /** Returns the service of a subscriber that receives {@link TopicMessage}s. */
    ServiceAddress subscriber() {
        return new ServiceAddress("topic.subscriber", pipe.text());
    }

    /** Returns the advertisement of a subscriber, as JXTA's of an input end of the propagate pipe. */
    PipeAdvertisement subscriberAdvertisement() {
        return PipeAdvertisement.of(pipe, PipeType.PROPAGATE, name);
    }

    /** Returns the advertisement of a publisher: of the pipe through which subscribers reach it. */
    PipeAdvertisement publisherAdvertisement() {
        return PipeAdvertisement.of(publisherPipe, security.unicastType(), name);
    }

    @Override
    public String toString() {
        return "topic \"" + name + "\"";
    }
}

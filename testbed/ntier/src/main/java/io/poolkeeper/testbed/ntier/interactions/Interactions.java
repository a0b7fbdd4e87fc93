package io.poolkeeper.testbed.ntier.interactions;

import static io.poolkeeper.testbed.ntier.web.Interaction.get;
import static io.poolkeeper.testbed.ntier.web.Interaction.post;

import io.poolkeeper.testbed.ntier.web.Interaction;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** All interactions by their names. */
public final class Interactions {

  private Interactions() {}

  /** The 24 interactions. */
  public static Map<String, Interaction> all() {
    return Stream.of(
            get("StoriesOfTheDay", StoryPages::storiesOfTheDay),
            get("Browse", StoryPages::browse),
            get("BrowseCategories", StoryPages::browseCategories),
            get("BrowseStoriesInCategory", StoryPages::browseStoriesInCategory),
            get("OlderStories", StoryPages::olderStories),
            get("ViewStory", StoryPages::viewStory),
            get("ViewComment", CommentPages::viewComment),
            get("PostComment", CommentPages::postComment),
            post("StoreComment", CommentPages::storeComment),
            get("ModerateComment", ModerationPages::moderateComment),
            post("StoreModerateLog", ModerationPages::storeModerateLog),
            get("Search", SearchPages::search),
            get("SearchInStories", SearchPages::searchInStories),
            get("SearchInComments", SearchPages::searchInComments),
            get("SearchInUsers", SearchPages::searchInUsers),
            get("Register", UserPages::register),
            post("RegisterUser", UserPages::registerUser),
            get("SubmitStory", SubmissionPages::submitStory),
            post("StoreStory", SubmissionPages::storeStory),
            get("AuthorLogin", UserPages::authorLogin),
            post("AuthorTask", UserPages::authorTask),
            get("ReviewStories", SubmissionPages::reviewStories),
            post("AcceptStory", SubmissionPages::acceptStory),
            post("RejectStory", SubmissionPages::rejectStory))
        .collect(Collectors.toMap(Interaction::name, Function.identity()));
  }
}
